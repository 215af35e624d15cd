// aes_iterative.v - AES with one block in flight: one round unit, used Nr times for each block
//
// A block accepted at edge t is in the result register after edge t + Nr, where the next block may
// already enter. While that register is full and not taken, the block in flight waits before its last
// round. Keys are prepared by the same round unit while no block is in flight and its round key is zero.
`default_nettype none

module aes_iterative (
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

    // the block in flight: the round that is done at the next edge, or NO_ROUND
    reg [3:0] round_reg,  round_next;
    reg       result_reg, result_next;

    wire [127:0] first_key;
    wire [127:0] round_key;
    wire [127:0] state;

    wire busy        = round_reg != NO_ROUND;
    wire last_round  = round_reg == rounds;
    wire result_free = !result_reg || out_ready;
    wire advance     = busy && (!last_round || result_free);
    wire finish      = busy && last_round && result_free;
    wire block_enter = in_valid && in_ready;

    wire       mix    = busy ? !last_round : key_mix;
    wire [1:0] source = busy ? (decrypt ? SOURCE_INVERSE : SOURCE_FORWARD)
                             : (expand ? SOURCE_KEY : SOURCE_BEAT);

    assign idle      = !busy && !result_reg;
    assign in_ready  = usable && (!busy || finish);
    assign out_valid = result_reg;

    aes_schedule schedule (
        .clk        (clk),
        .write      (store),
        .write_slot (store_slot),
        .write_key  (state),
        .clear      (rst || (finish && !block_enter)),
        .fetch      (block_enter || advance),
        .fetch_slot (finish ? 4'd0 : round_reg),
        .first_key  (first_key),
        .round_key  (round_key)
    );

    aes_round round (
        .clk       (clk),
        .enter     (block_enter),
        .step      (advance || prepare),
        .finish    (finish),
        .source    (source),
        .mix       (mix),
        .inverse   (decrypt),
        .from      (state),
        .block     (in_block),
        .first_key (first_key),
        .round_key (round_key),
        .key_words (key_words),
        .beat      (rk_data),
        .state     (state),
        .result    (out_block)
    );

    always @* begin
        round_next  = round_reg;
        result_next = result_reg && !out_ready;
        if (advance)
            round_next = round_reg + 4'd1;
        if (finish) begin
            round_next  = NO_ROUND;
            result_next = 1'b1;
        end
        if (block_enter)
            round_next = 4'd1;
    end

    always @(posedge clk) begin
        round_reg  <= round_next;
        result_reg <= result_next;
        if (rst) begin
            round_reg  <= NO_ROUND;
            result_reg <= 1'b0;
        end
    end
endmodule

`default_nettype wire
