// aes_iterative.v - AES with one block in flight: one round unit, used Nr times for each block
//
// A block accepted at edge t is in the result register after edge t + Nr, where the next block may
// already enter. Keys are prepared by the same round unit while no block is in flight: a round key of the
// on-chip expansion or a beat of the schedule port passes through its state register and is written to
// its slot one edge later. That edge is hidden behind a schedule, whose first key is written first; a
// decryption key is expanded from the last slot to the first, and waits for it (LOAD_FLUSH).
//
//      schedule   last beat accepted at edge t: block accepted at t + 1 at the earliest
//      key        accepted at edge t:           block accepted at t + Nr + 3, for all sizes and directions
//
// A key or a schedule that is being offered goes first: no block is accepted meanwhile, so that a block
// never meets the wrong key. A key offered together with a schedule wins; accepted in the middle of a
// schedule, it replaces it.
`default_nettype none

module aes_iterative (
    input  wire         clk,
    input  wire         rst,

    // key port
    input  wire         key_valid,
    output wire         key_ready,
    input  wire [255:0] key,
    input  wire [1:0]   key_bits,
    input  wire         key_decrypt,

    // schedule port
    input  wire         rk_valid,
    output wire         rk_ready,
    input  wire [127:0] rk_data,
    input  wire         rk_last,
    input  wire         rk_decrypt,
    input  wire [3:0]   rk_rounds,

    // block port
    input  wire         in_valid,
    output wire         in_ready,
    input  wire [127:0] in_block,
    output wire         out_valid,
    input  wire         out_ready,
    output wire [127:0] out_block
);
    `include "aes/aes_key_bits.vh"
    `include "aes/aes_slots.vh"
    `include "aes/aes_source.vh"

    // rounds for each key size, FIPS-197 figure 4
    localparam [3:0] ROUNDS_128 = 4'd10;
    localparam [3:0] ROUNDS_192 = 4'd12;
    localparam [3:0] ROUNDS_256 = 4'd14;

    localparam [3:0] NO_ROUND = 4'd0;

    localparam [1:0] LOAD_NONE   = 2'd0;
    localparam [1:0] LOAD_BEATS  = 2'd1;   // between the first and the last beat of a schedule
    localparam [1:0] LOAD_EXPAND = 2'd2;   // one round key of the expansion per cycle
    localparam [1:0] LOAD_FLUSH  = 2'd3;   // the last of them is being written

    // the schedule in force
    reg       loaded_reg,     loaded_next;
    reg       decrypt_reg,    decrypt_next;
    reg [3:0] rounds_reg,     rounds_next;

    // loading: the slot of the key that enters the round unit, and of the one that leaves it
    reg [1:0] load_reg,       load_next;
    reg [3:0] slot_reg,       slot_next;
    reg       store_reg,      store_next;
    reg [3:0] store_slot_reg, store_slot_next;

    // the block in flight: the round that is done at the next edge, or NO_ROUND
    reg [3:0] round_reg,      round_next;
    reg       result_reg,     result_next;

    wire busy        = round_reg != NO_ROUND;
    wire last_round  = round_reg == rounds_reg;
    wire result_free = !result_reg || out_ready;
    wire advance     = busy && (!last_round || result_free);
    wire finish      = busy && last_round && result_free;

    wire expanding   = load_reg == LOAD_EXPAND;
    wire may_load    = !busy && !result_reg && !load_reg[1];
    wire key_enter   = key_valid && key_ready;
    wire beat_enter  = rk_valid && rk_ready;
    wire block_enter = in_valid && in_ready;

    wire first_slot  = slot_reg == SLOT_FIRST;
    wire last_slot   = slot_reg + 4'd1 == rounds_reg;

    assign key_ready = may_load;
    assign rk_ready  = may_load && !key_valid;
    assign in_ready  = loaded_reg && !key_valid && !rk_valid && (!busy || finish);
    assign out_valid = result_reg;

    wire         mix    = busy ? !last_round : expanding && decrypt_reg && !first_slot && !last_slot;
    wire [1:0]   source = busy ? (decrypt_reg ? SOURCE_INVERSE : SOURCE_FORWARD)
                               : (expanding ? SOURCE_KEY : SOURCE_BEAT);
    wire [127:0] state;
    wire [127:0] first_key;
    wire [127:0] round_key;
    wire [127:0] key_words;

    aes_key_expand key_expand (
        .clk       (clk),
        .load      (key_enter),
        .key       (key),
        .key_bits  (key_bits),
        .advance   (expanding),
        .round_key (key_words)
    );

    aes_schedule schedule (
        .clk        (clk),
        .write      (store_reg),
        .write_slot (store_slot_reg),
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
        .step      (advance || expanding || beat_enter),
        .finish    (finish),
        .source    (source),
        .mix       (mix),
        .inverse   (decrypt_reg),
        .block     (in_block),
        .first_key (first_key),
        .round_key (round_key),
        .key_words (key_words),
        .beat      (rk_data),
        .state     (state),
        .result    (out_block)
    );

    always @* begin
        loaded_next     = loaded_reg;
        decrypt_next    = decrypt_reg;
        rounds_next     = rounds_reg;
        load_next       = load_reg;
        slot_next       = slot_reg;
        store_next      = expanding || beat_enter;
        store_slot_next = slot_reg;
        round_next      = round_reg;
        result_next     = result_reg && !out_ready;

        // blocks
        if (advance)
            round_next = round_reg + 4'd1;
        if (finish) begin
            round_next  = NO_ROUND;
            result_next = 1'b1;
        end
        if (block_enter)
            round_next = 4'd1;

        // keys
        if (expanding) begin
            slot_next = decrypt_reg ? slot_reg - 4'd1 : slot_reg + 4'd1;
            if (decrypt_reg ? first_slot : last_slot)
                load_next = LOAD_FLUSH;
        end
        if (load_reg == LOAD_FLUSH) begin
            load_next   = LOAD_NONE;
            slot_next   = SLOT_FIRST;
            loaded_next = 1'b1;
        end
        if (beat_enter) begin
            decrypt_next = rk_decrypt;
            rounds_next  = rk_rounds;
            loaded_next  = rk_last;
            load_next    = rk_last ? LOAD_NONE : LOAD_BEATS;
            slot_next    = rk_last ? SLOT_FIRST : slot_reg + 4'd1;
        end
        if (key_enter) begin
            decrypt_next = key_decrypt;
            case (key_bits)
                KEY_BITS_128: rounds_next = ROUNDS_128;
                KEY_BITS_192: rounds_next = ROUNDS_192;
                default:      rounds_next = ROUNDS_256;
            endcase
            loaded_next  = 1'b0;
            load_next    = LOAD_EXPAND;
            slot_next    = key_decrypt ? rounds_next - 4'd1 : SLOT_FIRST;
        end
    end

    always @(posedge clk) begin
        loaded_reg     <= loaded_next;
        decrypt_reg    <= decrypt_next;
        rounds_reg     <= rounds_next;
        load_reg       <= load_next;
        slot_reg       <= slot_next;
        store_reg      <= store_next;
        store_slot_reg <= store_slot_next;
        round_reg      <= round_next;
        result_reg     <= result_next;
        if (rst) begin
            loaded_reg <= 1'b0;
            load_reg   <= LOAD_NONE;
            slot_reg   <= SLOT_FIRST;
            store_reg  <= 1'b0;
            round_reg  <= NO_ROUND;
            result_reg <= 1'b0;
        end
    end
endmodule

`default_nettype wire
