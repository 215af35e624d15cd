// aes_key_expand.v - FIPS-197 5.2 key expansion, one round key (four words) per clock, for all key sizes
//
// The window holds the next Nk words of the expansion, word 0 in the low 32 bits; the low four words are
// the round key of this cycle. `advance` moves the window on by four words, whatever Nk is:
//
//      128: {n3..n0}      192: {n3..n0, w5, w4}      256: {n3..n0, w7..w4}       n = the four new words
//
// SubWord falls on n0, except for 192-bit keys, where four words at a time meet the multiples of six at
// n0, at n2 and not at all, in turn (`phase`). At n2 its operand n1 is w1 + w0 + w5, because n0 takes no
// SubWord in that cycle. One SubWord per cycle is therefore enough.
//
// key_bits 3 is reserved and counts as 256.
`default_nettype none
`include "aes/aes_xor.vh"

module aes_key_expand (
    input  wire         clk,

    input  wire         load,         // take the key; round key 0 is on round_key after this edge
    input  wire [255:0] key,
    input  wire [1:0]   key_bits,

    input  wire         advance,      // the next round key is on round_key after this edge
    output wire [127:0] round_key
);
    `include "aes/aes_sbox_table.vh"
    `include "aes/aes_key_bits.vh"

    localparam [7:0] RCON_FIRST     = 8'h01;
    localparam [7:0] RCON_REDUCTION = 8'h1b;

    // where SubWord falls in the four new words
    localparam [1:0] PHASE_ROTATE = 2'd0;   // n0, with RotWord and Rcon
    localparam [1:0] PHASE_MIDDLE = 2'd1;   // n2, with RotWord and Rcon (192)
    localparam [1:0] PHASE_PLAIN  = 2'd2;   // n0, neither (256), or none (192)

    reg [7:0] forward_box [0:255];
    integer entry;
    initial
        for (entry = 0; entry < 256; entry = entry + 1)
            forward_box[entry] = SBOX_TABLE[8 * (255 - entry) +: 8];

    reg [255:0] window_reg;
    reg [1:0]   key_bits_reg;
    reg [1:0]   phase_reg;
    reg [7:0]   rcon_reg;

    assign round_key = window_reg[127:0];

    always @(posedge clk) begin : expand
        reg [31:0] last;       // the word before the new ones
        reg [31:0] operand;    // of SubWord
        reg [31:0] changed;    // after SubWord, and RotWord and Rcon where they belong
        reg [31:0] n0;
        reg [31:0] n1;
        reg [31:0] n2;
        reg [31:0] n3;

        if (load) begin
            window_reg   <= key;
            key_bits_reg <= key_bits;
            phase_reg    <= PHASE_ROTATE;
            rcon_reg     <= RCON_FIRST;
        end else if (advance) begin
            case (key_bits_reg)
                KEY_BITS_128: last = window_reg[127:96];
                KEY_BITS_192: last = window_reg[191:160];
                default:      last = window_reg[255:224];
            endcase
            operand = last;
            if (phase_reg == PHASE_MIDDLE)
                operand = window_reg[31:0] ^ window_reg[63:32] ^ window_reg[191:160];
            if (phase_reg == PHASE_PLAIN)
                changed = {forward_box[operand[31:24]], forward_box[operand[23:16]],
                           forward_box[operand[15:8]], forward_box[operand[7:0]]};
            else
                changed = {forward_box[operand[7:0]], forward_box[operand[31:24]],
                           forward_box[operand[23:16]], forward_box[operand[15:8]] ^ rcon_reg};

            if (phase_reg == PHASE_ROTATE || key_bits_reg != KEY_BITS_192)
                n0 = window_reg[31:0] ^ changed;
            else
                n0 = window_reg[31:0] ^ last;
            n1 = window_reg[63:32] ^ n0;
            n2 = window_reg[95:64] ^ (phase_reg == PHASE_MIDDLE ? changed : n1);
            n3 = window_reg[127:96] ^ n2;

            case (key_bits_reg)
                KEY_BITS_128: window_reg[127:0] <= {n3, n2, n1, n0};
                KEY_BITS_192: window_reg[191:0] <= {n3, n2, n1, n0, window_reg[191:128]};
                default:      window_reg        <= {n3, n2, n1, n0, window_reg[255:128]};
            endcase

            if (phase_reg != PHASE_PLAIN)
                rcon_reg <= {rcon_reg[6:0], 1'b0} ^ (rcon_reg[7] ? RCON_REDUCTION : 8'h00);
            case (key_bits_reg)
                KEY_BITS_128: phase_reg <= PHASE_ROTATE;
                KEY_BITS_192: phase_reg <= phase_reg == PHASE_PLAIN ? PHASE_ROTATE : phase_reg + 2'd1;
                default:      phase_reg <= phase_reg == PHASE_PLAIN ? PHASE_ROTATE : PHASE_PLAIN;
            endcase
        end
    end
endmodule

`default_nettype wire
