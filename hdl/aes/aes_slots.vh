// aes_slots.vh - places of the key schedule in order of use: SLOT_FIRST, then 0 to Nr - 1
localparam [3:0] SLOT_FIRST = 4'd15;   // the initial AddRoundKey; one below slot 0, modulo 16
