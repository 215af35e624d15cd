// aes_ring.v - AES with two blocks in flight: two round units in a ring
//
//      in_block -> [+ first key] -> state -> odd rounds -> state -> even rounds -> result
//                                     ^                                |
//                                     +--------------------------------+
//
// A block accepted at edge t goes round Nr / 2 times and is in the result register after edge t + Nr. The
// state before the odd rounds is the entrance: free again at t + 1, taken by the block that comes back
// from t + 2 on, every second edge. Blocks that do not pause enter in pairs, at t, t + 1, t + Nr, t + Nr + 1.
//
// While the result register is full and not taken, the first block that comes to its last round stops
// the ring; a free entrance still takes a block. So three blocks are inside at most.
//
// Keys are prepared by the unit of even rounds, whose MixColumns can be passed by, while its round key is
// zero. Each unit reads a copy of the schedule; synthesis drops the half that it never reads.
`default_nettype none

module aes_ring (
    input  wire         clk,
    input  wire         rst,

    // the schedule in force, and the round key on its way to it: see aes_key_load
    output wire         idle,
    input  wire         usable,
    input  wire         decrypt,
    input  wire [3:0]   rounds,
    input  wire         prepare,
    input  wire         expand,
    input  wire         key_mix,
    input  wire [127:0] key_words,
    input  wire [127:0] rk_data,
    input  wire         store,
    input  wire [3:0]   store_slot,

    // block port
    input  wire         in_valid,
    output wire         in_ready,
    input  wire [127:0] in_block,
    output wire         out_valid,
    input  wire         out_ready,
    output wire [127:0] out_block
);
    `include "aes/aes_source.vh"

    localparam [3:0] NO_ROUND = 4'd0;

    // the two blocks: the round that is done at the next edge, or NO_ROUND
    reg [3:0] odd_reg,    odd_next;
    reg [3:0] even_reg,   even_next;
    reg       result_reg, result_next;

    wire [127:0] first_key;
    wire [127:0] odd_key;
    wire [127:0] even_key;
    wire [127:0] odd_state;    // before odd rounds
    wire [127:0] even_state;   // before even rounds
    wire [127:0] unused_first_key;
    wire [127:0] unused_result;

    wire odd_busy    = odd_reg != NO_ROUND;
    wire even_busy   = even_reg != NO_ROUND;
    wire last_round  = even_reg == rounds;
    wire stall       = even_busy && last_round && result_reg && !out_ready;
    wire finish      = even_busy && last_round && !stall;
    wire again       = even_busy && !last_round;
    wire odd_step    = odd_busy && !stall;
    wire even_step   = even_busy && !stall;
    wire block_enter = in_valid && in_ready;

    wire [1:0] block_source = decrypt ? SOURCE_INVERSE : SOURCE_FORWARD;
    wire [1:0] key_source   = expand ? SOURCE_KEY : SOURCE_BEAT;

    assign idle      = !odd_busy && !even_busy && !result_reg;
    assign in_ready  = usable && !again && !(odd_busy && stall);
    assign out_valid = result_reg;

    // the key of round n is in slot n - 1
    aes_schedule odd_schedule (
        .clk        (clk),
        .write      (store),
        .write_slot (store_slot),
        .write_key  (odd_state),
        .clear      (1'b0),
        .fetch      (block_enter || again),
        .fetch_slot (again ? {even_reg[3:1], 1'b0} : 4'd0),
        .first_key  (first_key),
        .round_key  (odd_key)
    );

    aes_schedule even_schedule (
        .clk        (clk),
        .write      (store),
        .write_slot (store_slot),
        .write_key  (odd_state),
        .clear      (rst || (even_step && !odd_step)),
        .fetch      (odd_step),
        .fetch_slot ({odd_reg[3:1], 1'b1}),
        .first_key  (unused_first_key),
        .round_key  (even_key)
    );

    aes_round odd_round (
        .clk       (clk),
        .enter     (1'b0),
        .step      (odd_step),
        .finish    (1'b0),
        .source    (block_source),
        .mix       (1'b1),
        .inverse   (decrypt),
        .from      (odd_state),
        .block     (128'd0),
        .first_key (128'd0),
        .round_key (odd_key),
        .key_words (128'd0),
        .beat      (128'd0),
        .state     (even_state),
        .result    (unused_result)
    );

    aes_round even_round (
        .clk       (clk),
        .enter     (block_enter),
        .step      (even_step || prepare),
        .finish    (finish),
        .source    (even_busy ? block_source : key_source),
        .mix       (even_busy ? !last_round : key_mix),
        .inverse   (decrypt),
        .from      (even_state),
        .block     (in_block),
        .first_key (first_key),
        .round_key (even_key),
        .key_words (key_words),
        .beat      (rk_data),
        .state     (odd_state),
        .result    (out_block)
    );

    always @* begin
        odd_next    = odd_reg;
        even_next   = even_reg;
        result_next = finish || (result_reg && !out_ready);
        if (!stall) begin
            odd_next  = again ? even_reg + 4'd1 : NO_ROUND;
            even_next = odd_busy ? odd_reg + 4'd1 : NO_ROUND;
        end
        if (block_enter)
            odd_next = 4'd1;
    end

    always @(posedge clk) begin
        odd_reg    <= odd_next;
        even_reg   <= even_next;
        result_reg <= result_next;
        if (rst) begin
            odd_reg    <= NO_ROUND;
            even_reg   <= NO_ROUND;
            result_reg <= 1'b0;
        end
    end
endmodule

`default_nettype wire
