// qce_data.v - the way of the data: reader, core, result dump, writer
//
//      R -> [reader] -> beats of a list
//               \-> [aes_ecb] -> [writer] -> W
//                      [dump] -/
//
// STAGES      rounds in flight in the core, see aes_ecb
//
// The dump's first beat enters the writer's FIFO one edge after the last block has, the others one at an edge
// as long as there is room.
`default_nettype none

module qce_data #(
    parameter STAGES = 1
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         core_rst,

    // key
    input  wire         key_valid,
    output wire         key_ready,
    input  wire [255:0] key,              // ENCR_KEY0 in bits 31:0, byte 0 in bits 31:24 of it
    input  wire [1:0]   key_bits,
    input  wire         key_decrypt,

    // commands
    input  wire         read_valid,
    output wire         read_ready,
    input  wire [31:0]  read_address,
    input  wire [11:0]  read_beats,
    input  wire         read_continue,
    input  wire         read_stop,
    input  wire         write_valid,
    output wire         write_ready,
    input  wire [31:0]  write_address,
    input  wire [11:0]  write_beats,
    input  wire         write_continue,
    input  wire         write_cut,
    input  wire         write_stop,

    // the course
    input  wire         run_start,        // a run of run_blocks begins, perhaps with the dump behind it
    input  wire [28:0]  run_blocks,
    input  wire         run_dump,
    input  wire         run_open,         // blocks and dump may go
    input  wire         run_close,        // no block may enter the core
    output wire         core_empty,
    output wire         read_busy,
    output wire         read_pending,
    output wire         read_fault,
    output wire         read_fault_decode,
    output wire [31:0]  read_fault_address,
    output wire         write_busy,
    output wire         write_empty,
    output wire         write_finished,
    output wire         write_fault,
    output wire         write_fault_decode,
    output wire [31:0]  write_fault_address,
    output wire [31:0]  write_done,       // beats

    // beats of the reader
    input  wire         list_ready,       // they are of a list, and are taken
    output wire [127:0] beat,

    // what the dump tells
    input  wire         stale_status,
    input  wire [127:0] counters,
    input  wire         locked,

    // AXI4 master
    output wire         m_axi_arvalid,
    input  wire         m_axi_arready,
    output wire [31:0]  m_axi_araddr,
    output wire [7:0]   m_axi_arlen,
    input  wire         m_axi_rvalid,
    output wire         m_axi_rready,
    input  wire [127:0] m_axi_rdata,
    input  wire [1:0]   m_axi_rresp,
    input  wire         m_axi_rlast,
    output wire         m_axi_awvalid,
    input  wire         m_axi_awready,
    output wire [31:0]  m_axi_awaddr,
    output wire [7:0]   m_axi_awlen,
    output wire         m_axi_wvalid,
    input  wire         m_axi_wready,
    output wire [127:0] m_axi_wdata,
    output wire         m_axi_wlast,
    input  wire         m_axi_bvalid,
    output wire         m_axi_bready,
    input  wire [1:0]   m_axi_bresp
);
    localparam FIFO_BITS = 5;
    localparam [4:0] GROUP = 5'd1;

    // -- the core ---------------------------------------------------------------------------------
    wire         in_valid, in_ready, out_valid, flow_open, all_entered, writer_room, freed, rk_ready;
    wire [127:0] out_block;
    wire         entered = in_valid && in_ready;

    assign in_valid = read_pending && run_open && flow_open;

    block_flow #(.ROOM_BITS(FIFO_BITS)) flow (
        .clk(clk), .rst(core_rst),
        .start(run_start), .count({3'd0, run_blocks}), .close(run_close), .open(flow_open),
        .all_entered(all_entered), .entered(entered), .left(out_valid), .freed(freed), .empty(core_empty)
    );

    wire [255:0] key_bytes;   // byte 0 in bits 7:0

    genvar word;
    generate
        for (word = 0; word < 8; word = word + 1) begin : swap
            assign key_bytes[32*word +: 32] = {key[32*word +: 8], key[32*word + 8 +: 8],
                                               key[32*word + 16 +: 8], key[32*word + 24 +: 8]};
        end
    endgenerate

    aes_ecb #(.STAGES(STAGES)) core (
        .clk(clk), .rst(core_rst),
        .key_valid(key_valid), .key_ready(key_ready), .key(key_bytes), .key_bits(key_bits), .key_decrypt(key_decrypt),
        .rk_valid(1'b0), .rk_ready(rk_ready), .rk_data(128'd0), .rk_last(1'b0), .rk_decrypt(1'b0), .rk_rounds(4'd0),
        .in_valid(in_valid), .in_ready(in_ready), .in_block(beat),
        .out_valid(out_valid), .out_ready(1'b1), .out_block(out_block)
    );

    // -- the dump: behind the last block. The room that it takes is no longer counted by the flow -------------
    wire         dump_over;
    wire [127:0] dump_beat;
    wire         dump_valid = run_dump && !dump_over && run_open && !run_close && all_entered && core_empty;

    qce_dump dump (
        .clk(clk), .stale_status(stale_status), .counters(counters), .locked(locked),
        .start(run_start), .taken(dump_valid && writer_room), .over(dump_over), .beat(dump_beat)
    );

    // -- the bus ----------------------------------------------------------------------------------
    axi_reader #(.FIFO_BITS(FIFO_BITS), .BEATS_BITS(12)) reader (
        .clk(clk), .rst(rst),
        .cmd_valid(read_valid), .cmd_ready(read_ready), .cmd_address(read_address), .cmd_beats(read_beats),
        .cmd_group(GROUP), .cmd_continue(read_continue), .halt(read_stop),
        .busy(read_busy), .fault(read_fault), .fault_decode(read_fault_decode), .fault_address(read_fault_address),
        .out_valid(read_pending), .out_ready(list_ready || entered), .out_data(beat),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_araddr(m_axi_araddr),
        .m_axi_arlen(m_axi_arlen),
        .m_axi_rvalid(m_axi_rvalid), .m_axi_rready(m_axi_rready), .m_axi_rdata(m_axi_rdata),
        .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast)
    );

    axi_writer #(.FIFO_BITS(FIFO_BITS)) writer (
        .clk(clk), .rst(rst),
        .cmd_valid(write_valid), .cmd_ready(write_ready), .cmd_address(write_address),
        .cmd_beats({20'd0, write_beats}), .cmd_continue(write_continue), .cut(write_cut), .abandon(write_stop),
        .busy(write_busy), .finished(write_finished), .empty(write_empty), .fault(write_fault),
        .fault_decode(write_fault_decode), .fault_address(write_fault_address), .done_beats(write_done),
        .in_valid(out_valid || dump_valid), .in_ready(writer_room), .in_data(out_valid ? out_block : dump_beat),
        .freed(freed),
        .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready), .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awlen(m_axi_awlen),
        .m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready), .m_axi_wdata(m_axi_wdata),
        .m_axi_wlast(m_axi_wlast),
        .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready), .m_axi_bresp(m_axi_bresp)
    );

    wire unused = &{1'b0, rk_ready, 1'b0};
endmodule
`default_nettype wire
