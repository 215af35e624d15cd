// qce_list.v - one descriptor list: what has been read of it, and the walk over it
//
// A descriptor has 8 bytes, little endian: address 31:0, size 47:32, flags 63:48; two come in a beat. A size
// of 0 is skipped. Of the flags only LOCK and UNLOCK are looked at.
//
// A walk, from walk_start on, goes until its blocks are covered; with walk_dump, from the descriptor after
// that, until the 8 blocks of the result dump are. The first descriptor is looked at at the edge after
// walk_start. A walk that checks takes one descriptor at every edge; it stops at one that is not
// aligned, or at the end of the list. Else `piece` offers the descriptor's address and size, cut at what is
// asked for; the next one is looked at one edge after `taken`, or at once if there is nothing in this one.
// `over` and what it tells are up to date one edge after the last descriptor has been looked at.
`default_nettype none

module qce_list (
    input  wire         clk,
    input  wire         rst,

    // the list
    input  wire [6:0]   length,         // descriptors
    input  wire         load_start,     // its beats follow
    input  wire         load,           // one comes at this edge
    input  wire [127:0] load_beat,
    output wire         lock,           // the first descriptor has LOCK; valid from the edge at which it comes on
    input  wire         arm,
    input  wire         disarm,
    output reg          armed,

    // the walk
    input  wire         walk_start,
    input  wire [28:0]  walk_blocks,
    input  wire         walk_dump,
    input  wire         check,
    output wire         piece,          // a descriptor with data is at hand
    output wire [31:0]  address,
    output wire [11:0]  blocks,
    input  wire         taken,

    // its end
    output wire         covered,        // nothing is left to take up
    output wire         over,           // covered, misaligned or short
    output reg          misaligned,
    output reg  [31:0]  misaligned_address,
    output wire         short,          // the list ends before all is covered
    output reg          unlock,         // a descriptor that was walked over has UNLOCK

    input  wire         clear_current,
    output wire [6:0]   current         // the descriptor taken up last
);
    localparam LOCK_BIT   = 58;   // of a descriptor
    localparam UNLOCK_BIT = 57;
    localparam [28:0] DUMP_BLOCKS = 29'd8;

    // -- the descriptors: {UNLOCK, size, address}, two in an entry -----------------------------------
    reg [97:0] store [0:31];
    reg [4:0]  load_reg;
    reg        lock_reg;

    wire first_load = load && load_reg == 5'd0;

    assign lock = first_load ? load_beat[LOCK_BIT] : lock_reg;

    always @(posedge clk) begin
        if (load) begin
            store[load_reg] <= {load_beat[64 + UNLOCK_BIT], load_beat[111:64],
                                load_beat[UNLOCK_BIT], load_beat[47:0]};
            load_reg        <= load_reg + 5'd1;
        end
        if (first_load)
            lock_reg <= load_beat[LOCK_BIT];
        if (load_start)
            load_reg <= 5'd0;
        if (arm)
            armed <= 1'b1;
        if (rst || disarm)
            armed <= 1'b0;
    end

    // -- the walk -----------------------------------------------------------------------------------
    reg [6:0]  index_reg;
    reg [28:0] left_reg;      // blocks not covered yet
    reg        dump_reg;      // then the result dump, from the next descriptor on
    reg [6:0]  current_reg;

    wire [97:0] entry      = store[index_reg[5:1]];
    wire [48:0] descriptor = index_reg[0] ? entry[97:49] : entry[48:0];
    wire [15:0] size       = descriptor[47:32];
    wire        empty      = size == 16'd0;
    wire        odd        = address[3:0] != 4'd0;
    wire        bad        = !empty && (odd || size[3:0] != 4'd0);
    wire        at_end     = index_reg == length;
    wire        looking    = left_reg != 29'd0 && !at_end && !misaligned;
    wire        covers     = left_reg <= {17'd0, size[15:4]};
    wire        step       = looking && (check || empty || taken);

    assign address = descriptor[31:0];
    assign blocks  = covers ? left_reg[11:0] : size[15:4];
    assign piece   = looking && !empty;
    assign covered = left_reg == 29'd0;
    assign short   = !covered && at_end;
    assign over    = !looking;
    assign current = short ? length : current_reg;

    always @(posedge clk) begin
        if (step) begin
            if (check || taken)
                current_reg <= index_reg;
            if (descriptor[48])
                unlock <= 1'b1;
            if (check && bad) begin
                misaligned         <= 1'b1;
                misaligned_address <= odd ? address : address + {16'd0, size};
            end else begin
                index_reg <= index_reg + 7'd1;
                left_reg  <= !covers ? left_reg - {17'd0, size[15:4]} : dump_reg ? DUMP_BLOCKS : 29'd0;
                dump_reg  <= dump_reg && !covers;
            end
        end
        if (walk_start) begin
            index_reg  <= 7'd0;
            left_reg   <= walk_blocks == 29'd0 && walk_dump ? DUMP_BLOCKS : walk_blocks;
            dump_reg   <= walk_blocks != 29'd0 && walk_dump;
            misaligned <= 1'b0;
            unlock     <= 1'b0;
        end
        if (walk_start || clear_current)
            current_reg <= 7'd0;
        if (rst || disarm)
            left_reg <= 29'd0;
        if (rst) begin
            index_reg   <= 7'd0;
            misaligned  <= 1'b0;
            current_reg <= 7'd0;
        end
    end

    wire unused = &{1'b0, load_beat, 1'b0};
endmodule
`default_nettype wire
