// aes_source.vh - what the datapath of aes_round takes in
localparam [1:0] SOURCE_FORWARD = 2'd0;   // the state through SubBytes and ShiftRows
localparam [1:0] SOURCE_INVERSE = 2'd1;   // the state through InvSubBytes and InvShiftRows
localparam [1:0] SOURCE_KEY     = 2'd2;   // a round key of the on-chip expansion
localparam [1:0] SOURCE_BEAT    = 2'd3;   // a beat of the schedule port
