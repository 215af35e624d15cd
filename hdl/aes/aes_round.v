// aes_round.v - one AES round per clock in either direction, with the registers that it writes
//
// Decryption is the equivalent inverse cipher of FIPS-197 5.3.5: the same order of steps as encryption,
// with the inverse S-box, the inverse ShiftRows and the inverse MixColumns. Therefore one datapath
//
//      source:  SubBytes + ShiftRows (forward | inverse)  |  key_words  |  beat
//          -> [MixColumns or InvMixColumns, if mix] -> xor round_key -> state, result
//
// serves both, and also prepares round keys on their way to the schedule: if round_key is zero, key_words
// and beat pass unchanged, or through InvMixColumns only. They cost no gates of their own: the
// multiplexer of the two S-boxes has two inputs to spare. `from` is the state before the round: this
// unit's own, or another's. Inputs that a unit does not need are tied, and their gates go in synthesis.
//
// Written for the speed of simulation: one clocked process, memories read inside it, 128 bits at a time.
// Byte i of FIPS-197 is in bits 8i+7:8i, a column is 32 bits, and its row 0 is in the low byte.
`default_nettype none
`include "aes/aes_xor.vh"

module aes_round (
    input  wire         clk,

    // what happens at this edge; all low: nothing, at the cost of two tests
    input  wire         enter,        // state <= block xor first_key (the initial AddRoundKey)
    input  wire         step,         // state <= the datapath
    input  wire         finish,       // with step: result <= the datapath as well
    input  wire [1:0]   source,       // one of SOURCE_*
    input  wire         mix,          // (Inv)MixColumns: not in the last round
    input  wire         inverse,      // direction of mix

    // operands
    input  wire [127:0] from,         // for SOURCE_FORWARD and SOURCE_INVERSE
    input  wire [127:0] block,
    input  wire [127:0] first_key,
    input  wire [127:0] round_key,
    input  wire [127:0] key_words,
    input  wire [127:0] beat,

    output wire [127:0] state,
    output wire [127:0] result
);
    `include "aes/aes_sbox_table.vh"
    `include "aes/aes_source.vh"

    // a byte of 01, fe and so on in every byte lane
    localparam [127:0] LOW_BIT   = {16{8'h01}};
    localparam [127:0] LOW_2     = {16{8'h03}};
    localparam [127:0] ALL_BUT_1 = {16{8'hfe}};
    localparam [127:0] ALL_BUT_2 = {16{8'hfc}};

    reg [7:0] forward_box [0:255];
    reg [7:0] inverse_box [0:255];
    integer entry;
    initial
        for (entry = 0; entry < 256; entry = entry + 1) begin
            forward_box[entry] = SBOX_TABLE[8 * (255 - entry) +: 8];
            inverse_box[SBOX_TABLE[8 * (255 - entry) +: 8]] = entry[7:0];
        end

    reg [127:0] state_reg;
    reg [127:0] result_reg;
    assign state  = state_reg;
    assign result = result_reg;

    always @(posedge clk) begin : round
        reg [127:0] s;        // the state on its way through the round
        reg [127:0] other;    // the same bytes, rotated in their columns
        reg [127:0] sum;
        reg [127:0] carry;    // the bits that xtime moves out at the top of each byte

        if (step) begin
            case (source)
                SOURCE_FORWARD:
                    s = {forward_box[from[ 95: 88]], forward_box[from[ 55: 48]],
                         forward_box[from[ 15:  8]], forward_box[from[103: 96]],
                         forward_box[from[ 63: 56]], forward_box[from[ 23: 16]],
                         forward_box[from[111:104]], forward_box[from[ 71: 64]],
                         forward_box[from[ 31: 24]], forward_box[from[119:112]],
                         forward_box[from[ 79: 72]], forward_box[from[ 39: 32]],
                         forward_box[from[127:120]], forward_box[from[ 87: 80]],
                         forward_box[from[ 47: 40]], forward_box[from[  7:  0]]};
                SOURCE_INVERSE:
                    s = {inverse_box[from[ 31: 24]], inverse_box[from[ 55: 48]],
                         inverse_box[from[ 79: 72]], inverse_box[from[103: 96]],
                         inverse_box[from[127:120]], inverse_box[from[ 23: 16]],
                         inverse_box[from[ 47: 40]], inverse_box[from[ 71: 64]],
                         inverse_box[from[ 95: 88]], inverse_box[from[119:112]],
                         inverse_box[from[ 15:  8]], inverse_box[from[ 39: 32]],
                         inverse_box[from[ 63: 56]], inverse_box[from[ 87: 80]],
                         inverse_box[from[111:104]], inverse_box[from[  7:  0]]};
                SOURCE_KEY:
                    s = key_words;
                SOURCE_BEAT:
                    s = beat;
            endcase

            if (mix) begin
                if (inverse) begin
                    // InvMixColumns = MixColumns after s(r) <- 5 s(r) + 4 s(r+2) in each column
                    other = {s[111:96], s[127:112], s[79:64], s[95:80],
                             s[47:32], s[63:48], s[15:0], s[31:16]};
                    sum   = `AES_XOR(s, other);
                    carry = (sum >> 6) & LOW_2;
                    other = carry | (carry << 3);
                    carry = other << 1;
                    other = `AES_XOR(other, carry);
                    sum   = (sum << 2) & ALL_BUT_2;
                    sum   = `AES_XOR(sum, other);
                    s     = `AES_XOR(s, sum);
                end
                // row r: 2 (s(r) + s(r+1)) + s(r+1) + (s(r+2) + s(r+3))
                other = {s[103:96], s[127:104], s[71:64], s[95:72],
                         s[39:32], s[63:40], s[7:0], s[31:8]};
                sum   = `AES_XOR(s, other);
                s     = {sum[111:96], sum[127:112], sum[79:64], sum[95:80],
                         sum[47:32], sum[63:48], sum[15:0], sum[31:16]};
                s     = `AES_XOR(s, other);
                carry = (sum >> 7) & LOW_BIT;
                carry = carry | (carry << 1) | (carry << 3) | (carry << 4);
                sum   = (sum << 1) & ALL_BUT_1;
                sum   = `AES_XOR(sum, carry);
                s     = `AES_XOR(s, sum);
            end
            s = `AES_XOR(s, round_key);
            state_reg <= s;
            if (finish)
                result_reg <= s;
        end
        if (enter)
            state_reg <= `AES_XOR(block, first_key);
    end
endmodule

`default_nettype wire
