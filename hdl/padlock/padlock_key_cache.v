// padlock_key_cache.v - holds the control word, and whether the core holds its key, until an EFLAGS load
//
// The control word and then the key come as beats of the reader's FIFO. The key goes on to the core's key
// port (keygen 0: the core expands it) or to its schedule port (keygen 1: taken as it comes). The schedule
// itself is held by the core. key_loaded is bit 30 of EFLAGS on the real part.
`default_nettype none

module padlock_key_cache (
    input  wire         clk,
    input  wire         rst,

    // straps
    input  wire         keygen_128_only,   // quirk: the engine expands 128-bit keys only
    input  wire         schedule_overread, // quirk: 16 beats are read for every schedule

    // from the control
    input  wire         take_word,         // the beat is the control word
    input  wire         hand_over,         // the beats are the key: hand them to the core
    output wire         handed_over,       // at this edge the core takes a raw key
    input  wire         complete,          // sets key_loaded
    input  wire         forget,            // clears key_loaded
    output reg          key_loaded,

    // what the control word says
    output wire         bad_word,
    output wire [4:0]   key_beats,         // beats of key memory to read
    output wire         keygen,            // they are a schedule

    // beats
    input  wire         beat_valid,
    output wire         beat_ready,
    input  wire [127:0] beat,

    // key and schedule port of the core
    output wire         key_valid,
    input  wire         key_ready,
    output wire [255:0] key,
    output wire [1:0]   key_bits,
    output wire         key_decrypt,
    output wire         rk_valid,
    input  wire         rk_ready,
    output wire [127:0] rk_data,
    output wire         rk_last,
    output wire         rk_decrypt,
    output wire [3:0]   rk_rounds
);
    localparam [4:0] OVERREAD_BEATS = 5'd16;
    localparam [3:0] ROUNDS_128     = 4'd10;
    localparam [3:0] ROUNDS_192     = 4'd12;
    localparam [3:0] ROUNDS_256     = 4'd14;
    localparam [1:0] KSIZE_128      = 2'd0;
    localparam [1:0] KSIZE_INVALID  = 2'd3;

    reg [11:0]  word_reg;
    reg [127:0] low_half_reg;   // of a raw key of two beats
    reg [3:0]   index_reg;      // of the beat at hand

    wire [3:0] rounds       = word_reg[3:0];
    wire [2:0] algorithm    = word_reg[6:4];
    assign     keygen       = word_reg[7];
    wire       intermediate = word_reg[8];
    wire       encdec       = word_reg[9];
    wire [1:0] ksize        = word_reg[11:10];

    wire rounds_exist  = rounds == ROUNDS_128 || rounds == ROUNDS_192 || rounds == ROUNDS_256;
    wire rounds_fit    = rounds == ROUNDS_128 + {1'b0, ksize, 1'b0};
    wire cannot_expand = !keygen && (!rounds_fit || (keygen_128_only && ksize != KSIZE_128));
    assign bad_word = algorithm != 3'd0 || intermediate || ksize == KSIZE_INVALID || !rounds_exist || cannot_expand;

    wire       two_beats     = ksize != KSIZE_128;
    wire [4:0] schedule_read = schedule_overread ? OVERREAD_BEATS : {1'b0, rounds} + 5'd1;
    assign key_beats = keygen ? schedule_read : two_beats ? 5'd2 : 5'd1;

    wire last_raw = index_reg[0] == two_beats;
    wire taken    = beat_ready && beat_valid;

    assign key_valid   = hand_over && !keygen && last_raw && beat_valid;
    assign key         = {beat, two_beats ? low_half_reg : beat};
    assign key_bits    = ksize;
    assign key_decrypt = encdec;
    assign rk_valid    = hand_over && keygen && beat_valid && index_reg <= rounds;   // not what is over-read
    assign rk_data     = beat;
    assign rk_last     = index_reg == rounds;
    assign rk_decrypt  = encdec;
    assign rk_rounds   = rounds;
    assign beat_ready  = take_word || (hand_over && (keygen ? rk_valid && rk_ready : !last_raw || key_ready));
    assign handed_over = key_valid && key_ready;

    always @(posedge clk) begin
        if (take_word) begin
            word_reg  <= beat[11:0];
            index_reg <= 4'd0;
        end
        if (hand_over && taken) begin
            low_half_reg <= beat;
            index_reg    <= index_reg + 4'd1;
        end
        if (complete)
            key_loaded <= 1'b1;
        if (rst || forget)
            key_loaded <= 1'b0;
    end
endmodule
`default_nettype wire
