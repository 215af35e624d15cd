// aes_unrolled.v - AES with a round unit for each round: a block may enter and leave at every edge
//
// Stage s does round s + 1 of a 256-bit key. Blocks of shorter keys enter where Nr stages are left, at
// stage 2 (192 bits) or 4 (128 bits), so that all leave after the last one, whose state register is the
// output register: a block accepted at edge t is there after edge t + Nr. The stages before the entrance
// stand still.
//
// While the output register is full and not taken, the first block that comes to its last round stops
// all stages, and gaps between blocks stay; a free entrance still takes a block. So Nr + 1 blocks are
// inside at most.
//
// Each stage has its round key in a register. Keys are prepared by a unit of which only InvMixColumns is
// left after synthesis.
`default_nettype none
`include "aes/aes_xor.vh"

module aes_unrolled (
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
    `include "aes/aes_slots.vh"
    `include "aes/aes_source.vh"

    localparam STAGES = 14;
    localparam LAST   = STAGES - 1;
    localparam OUT    = STAGES;         // the place behind the last stage, the output register
    localparam [3:0] ROUNDS_MAX = 4'd14;

    // places where blocks enter: before the first stage, or in the state register of the one before
    localparam ENTRY_256 = 0;
    localparam ENTRY_192 = 2;
    localparam ENTRY_128 = 4;

    reg [OUT:0] full_reg, full_next;    // a block stands before stage s, or in the output register
    reg [127:0] entry_reg;              // the block before stage 0
    reg [127:0] first_key_reg;
    reg [127:0] key_reg [0:LAST];

    wire [127:0] store_key;
    wire [127:0] unused_result;

    wire [3:0]    entry       = ROUNDS_MAX - rounds;
    wire          stall       = full_reg[LAST] && full_reg[OUT] && !out_ready;
    wire [LAST:0] step        = stall ? {STAGES{1'b0}} : full_reg[LAST:0];
    wire          block_enter = in_valid && in_ready;
    wire [LAST:0] enter       = block_enter ? {{LAST{1'b0}}, 1'b1} << entry : {STAGES{1'b0}};

    wire [1:0] block_source = decrypt ? SOURCE_INVERSE : SOURCE_FORWARD;
    wire [1:0] key_source   = expand ? SOURCE_KEY : SOURCE_BEAT;

    assign idle      = full_reg == {(OUT+1){1'b0}};
    assign in_ready  = usable && !(stall && full_reg[entry]);
    assign out_valid = full_reg[OUT];

    aes_round key_path (
        .clk       (clk),
        .enter     (1'b0),
        .step      (prepare),
        .finish    (1'b0),
        .source    (key_source),
        .mix       (key_mix),
        .inverse   (1'b1),
        .from      (128'd0),
        .block     (128'd0),
        .first_key (128'd0),
        .round_key (128'd0),
        .key_words (key_words),
        .beat      (rk_data),
        .state     (store_key),
        .result    (unused_result)
    );

    // slot n belongs to the n-th stage from the entrance on
    always @(posedge clk) begin
        if (store) begin
            if (store_slot == SLOT_FIRST)
                first_key_reg <= store_key;
            else
                key_reg[store_slot + entry] <= store_key;
        end
        if (enter[ENTRY_256])
            entry_reg <= `AES_XOR(in_block, first_key_reg);
    end

    genvar s;
    generate
        for (s = 0; s <= LAST; s = s + 1) begin : stage
            wire         enter_behind;   // a block enters between this stage and the next
            wire [127:0] from;
            wire [127:0] state;
            wire [127:0] unused_stage_result;

            if (s == 0) begin : head
                assign from = entry_reg;
            end else begin : chain
                assign from = stage[s-1].state;
            end

            if (s + 1 == ENTRY_192 || s + 1 == ENTRY_128) begin : door
                assign enter_behind = enter[s+1];
            end else begin : wall
                assign enter_behind = 1'b0;
            end

            aes_round round (
                .clk       (clk),
                .enter     (enter_behind),
                .step      (step[s]),
                .finish    (1'b0),
                .source    (block_source),
                .mix       (s != LAST),
                .inverse   (decrypt),
                .from      (from),
                .block     (in_block),
                .first_key (first_key_reg),
                .round_key (key_reg[s]),
                .key_words (128'd0),
                .beat      (128'd0),
                .state     (state),
                .result    (unused_stage_result)
            );
        end
    endgenerate
    assign out_block = stage[LAST].state;

    always @* begin
        full_next[LAST:0] = (stall ? full_reg[LAST:0] : {full_reg[LAST-1:0], 1'b0}) | enter;
        full_next[OUT]    = step[LAST] || (full_reg[OUT] && !out_ready);
    end

    always @(posedge clk)
        full_reg <= rst ? {(OUT+1){1'b0}} : full_next;
endmodule

`default_nettype wire
