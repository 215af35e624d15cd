// aes_key_load.v - takes keys and schedules, and leads their round keys to the schedule one per edge
//
// A round key passes through the datapath of a round unit (`prepare`, as key_words or as a beat, with
// `key_mix` through InvMixColumns) and is written to its slot one edge later (`store`). That edge is hidden
// behind a schedule, whose first key is written first; a decryption key is expanded from the last slot
// to the first, and waits for it (LOAD_FLUSH).
//
//      schedule   last beat accepted at edge t: block accepted at t + 1 at the earliest
//      key        accepted at edge t:           block accepted at t + Nr + 3, for all sizes and directions
//
// A key or a schedule that is being offered goes first: `usable` is low meanwhile, so that a block never
// meets the wrong key. A key offered together with a schedule wins; accepted in the middle of a
// schedule, it replaces it.
`default_nettype none

module aes_key_load (
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
    input  wire         rk_last,
    input  wire         rk_decrypt,
    input  wire [3:0]   rk_rounds,

    // the blocks
    input  wire         idle,         // none in flight, and no result waits
    output wire         usable,       // they may enter: a schedule is complete and no other is on offer
    output wire         decrypt,      // of the schedule in force
    output wire [3:0]   rounds,

    // the round key on its way
    output wire         prepare,      // one passes at this edge
    output wire         expand,       // and is one of the expansion: key_words; else it is rk_data
    output wire         key_mix,      // through InvMixColumns
    output wire [127:0] key_words,
    output wire         store,        // the one that passed at the last edge is written at this one
    output wire [3:0]   store_slot
);
    `include "aes/aes_key_bits.vh"
    `include "aes/aes_slots.vh"

    // rounds for each key size, FIPS-197 figure 4
    localparam [3:0] ROUNDS_128 = 4'd10;
    localparam [3:0] ROUNDS_192 = 4'd12;
    localparam [3:0] ROUNDS_256 = 4'd14;

    localparam [1:0] LOAD_NONE   = 2'd0;
    localparam [1:0] LOAD_BEATS  = 2'd1;   // between the first and the last beat of a schedule
    localparam [1:0] LOAD_EXPAND = 2'd2;   // one round key of the expansion per cycle
    localparam [1:0] LOAD_FLUSH  = 2'd3;   // the last of them is being written

    // the schedule in force
    reg       loaded_reg,     loaded_next;
    reg       decrypt_reg,    decrypt_next;
    reg [3:0] rounds_reg,     rounds_next;

    // loading: the slot of the key that is prepared, and of the one that was
    reg [1:0] load_reg,       load_next;
    reg [3:0] slot_reg,       slot_next;
    reg       store_reg,      store_next;
    reg [3:0] store_slot_reg, store_slot_next;

    wire expanding   = load_reg == LOAD_EXPAND;
    wire may_load    = idle && !load_reg[1];
    wire key_enter   = key_valid && key_ready;
    wire beat_enter  = rk_valid && rk_ready;

    wire first_slot  = slot_reg == SLOT_FIRST;
    wire last_slot   = slot_reg + 4'd1 == rounds_reg;

    assign key_ready  = may_load;
    assign rk_ready   = may_load && !key_valid;

    assign usable     = loaded_reg && !key_valid && !rk_valid;
    assign decrypt    = decrypt_reg;
    assign rounds     = rounds_reg;

    assign prepare    = expanding || beat_enter;
    assign expand     = expanding;
    assign key_mix    = expanding && decrypt_reg && !first_slot && !last_slot;
    assign store      = store_reg;
    assign store_slot = store_slot_reg;

    aes_key_expand key_expand (
        .clk       (clk),
        .load      (key_enter),
        .key       (key),
        .key_bits  (key_bits),
        .advance   (expanding),
        .round_key (key_words)
    );

    always @* begin
        loaded_next     = loaded_reg;
        decrypt_next    = decrypt_reg;
        rounds_next     = rounds_reg;
        load_next       = load_reg;
        slot_next       = slot_reg;
        store_next      = prepare;
        store_slot_next = slot_reg;

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
        if (rst) begin
            loaded_reg <= 1'b0;
            load_reg   <= LOAD_NONE;
            slot_reg   <= SLOT_FIRST;
            store_reg  <= 1'b0;
        end
    end
endmodule

`default_nettype wire
