// qce_fetch.v - reads a descriptor list when its doorbell is rung
//
// Doorbell at edge a: the reader takes the command at a+1 (first AR handshake at a+3). The fetch ends one edge
// after the last beat has come from the bus, with an error or without; each beat is passed on one edge after
// it came, so the last one at the edge of the end. The reader is free whenever a doorbell can be rung.
`default_nettype none

module qce_fetch (
    input  wire        clk,
    input  wire        rst,

    // the doorbell
    input  wire        start,
    input  wire        start_list,          // 0: of the source, 1: of the destination
    input  wire [31:0] source_address,      // these registers hold until the end
    input  wire [6:0]  source_length,
    input  wire [31:0] destination_address,
    input  wire [6:0]  destination_length,

    // the reader
    output reg         command,
    output wire [31:0] command_address,
    output wire [11:0] command_beats,
    input  wire        read_busy,
    input  wire        read_fault,
    output wire        beat_ready,          // of the list: not those that an abandoned request has left

    // the course
    output reg         fetching,
    output reg         list,                // the one that is being read
    output wire        ended,               // at this edge
    output wire        failed               // with an error: with ended
);
    wire [6:0] length = list ? destination_length : source_length;
    wire [6:0] beats  = (length + 7'd1) >> 1;

    assign command_address = list ? destination_address : source_address;
    assign command_beats   = {5'd0, beats};
    assign beat_ready      = fetching && !command;
    assign ended           = fetching && !command && !read_busy;
    assign failed          = read_fault;

    always @(posedge clk) begin
        command <= start;
        if (ended)
            fetching <= 1'b0;
        if (start) begin
            fetching <= 1'b1;
            list     <= start_list;
        end
        if (rst) begin
            command  <= 1'b0;
            fetching <= 1'b0;
        end
    end
endmodule
`default_nettype wire
