// block_flow.v - lets blocks into the core: as many as the request has, and never more than fit behind it
//
// ROOM_BITS   log2 of the depth in blocks of the FIFO behind the core
//
// A block is let in only when the FIFO behind the core will have room for it, so the core's output never
// waits and a block leaves the core a fixed time after it entered.
`default_nettype none

module block_flow #(
    parameter ROOM_BITS = 5
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        start,       // begin with a request of `count` blocks
    input  wire [31:0] count,
    input  wire        close,       // let no more blocks in
    output wire        open,        // the next block may enter
    output wire        all_entered, // the request has no block left to enter
    input  wire        entered,     // a block enters the core at this edge
    input  wire        left,        // a block goes from the core into the FIFO at this edge
    input  wire        freed,       // a block goes from the FIFO to the bus at this edge
    output wire        empty        // no block is in the core
);
    localparam [ROOM_BITS:0] ROOM = 1 << ROOM_BITS;

    reg [31:0]        to_enter_reg;
    reg [ROOM_BITS:0] inside_reg;    // blocks in the core
    reg [ROOM_BITS:0] held_reg;      // blocks in the core and in the FIFO behind it

    assign open        = to_enter_reg != 0 && held_reg != ROOM && !close;
    assign all_entered = to_enter_reg == 0;
    assign empty       = inside_reg == 0;

    always @(posedge clk) begin
        if (entered)
            to_enter_reg <= to_enter_reg - 32'd1;
        if (entered != left)
            inside_reg <= entered ? inside_reg + 1'b1 : inside_reg - 1'b1;
        if (entered != freed)
            held_reg <= entered ? held_reg + 1'b1 : held_reg - 1'b1;
        if (start) begin
            to_enter_reg <= count;
            held_reg     <= 0;
        end
        if (rst) begin
            to_enter_reg <= 32'd0;
            inside_reg   <= 0;
            held_reg     <= 0;
        end
    end
endmodule
`default_nettype wire
