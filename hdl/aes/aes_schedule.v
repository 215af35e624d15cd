// aes_schedule.v - the key schedule in order of use: a first key, then one round key per slot
//
// Slot n holds the key of round n + 1; the key of the initial AddRoundKey is wanted in the same cycle as
// the key of the last round of the block before, and has a register of its own, SLOT_FIRST. That is the
// slot below 0, so that a loader counts up (or down, for a schedule expanded in the opposite order)
// through all of them. The read port has a register, as a block RAM has; it reads zero after `clear`.
`default_nettype none

module aes_schedule (
    input  wire         clk,

    // loading
    input  wire         write,
    input  wire [3:0]   write_slot,
    input  wire [127:0] write_key,

    // reading
    input  wire         clear,        // round_key <= 0 (before fetch)
    input  wire         fetch,        // round_key <= the key in fetch_slot
    input  wire [3:0]   fetch_slot,
    output wire [127:0] first_key,
    output wire [127:0] round_key
);
    `include "aes/aes_slots.vh"

    localparam SLOT_LAST = 13;        // of 14 rounds

    reg [127:0] slot_reg [0:SLOT_LAST];
    reg [127:0] first_key_reg;
    reg [127:0] round_key_reg;

    assign first_key = first_key_reg;
    assign round_key = round_key_reg;

    always @(posedge clk) begin
        if (write) begin
            if (write_slot == SLOT_FIRST)
                first_key_reg <= write_key;
            else
                slot_reg[write_slot] <= write_key;
        end
        if (clear)
            round_key_reg <= 128'd0;
        else if (fetch)
            round_key_reg <= slot_reg[fetch_slot];
    end
endmodule

`default_nettype wire
