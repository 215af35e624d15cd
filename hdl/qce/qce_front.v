// qce_front.v - the side of the registers: bus front, refusals and lock, register file
//
//      s_axil -> [axil_slave] -> [access] -> [registers] -> setup
//                                    |            |
//          GO, doorbells, soft reset <-           -> irq
//
// The answer to a doorbell waits for the end of its fetch, that to a soft reset until the bus is idle.
`default_nettype none

module qce_front (
    input  wire         clk,
    input  wire         rst,
    input  wire         shared,             // quirk: only a LOCK descriptor locks

    // AXI4-Lite
    input  wire [15:0]  s_axil_awaddr,
    input  wire [2:0]   s_axil_awprot,
    input  wire         s_axil_awvalid,
    output wire         s_axil_awready,
    input  wire [31:0]  s_axil_wdata,
    input  wire [3:0]   s_axil_wstrb,
    input  wire         s_axil_wvalid,
    output wire         s_axil_wready,
    output wire [1:0]   s_axil_bresp,
    output wire         s_axil_bvalid,
    input  wire         s_axil_bready,
    input  wire [15:0]  s_axil_araddr,
    input  wire [2:0]   s_axil_arprot,
    input  wire         s_axil_arvalid,
    output wire         s_axil_arready,
    output wire [31:0]  s_axil_rdata,
    output wire [1:0]   s_axil_rresp,
    output wire         s_axil_rvalid,
    input  wire         s_axil_rready,
    output wire         irq,

    // what a write begins, at its edge
    output wire         soft_reset,
    output wire         go,
    output wire         doorbell,
    output wire         doorbell_list,      // 0: of the source, 1: of the destination

    // setup
    output wire         results_dump,
    output wire [10:0]  config_word,
    output wire [31:0]  seg_size,
    output wire [31:0]  encr_size,
    output wire [31:0]  encr_start,
    output wire [127:0] counters,
    output wire [255:0] key,
    output wire [31:0]  source_address,
    output wire [6:0]   source_length,
    output wire [31:0]  destination_address,
    output wire [6:0]   destination_length,
    output wire         locked,

    // state
    input  wire         busy,
    input  wire [3:0]   crypto_state,
    input  wire         source_armed,
    input  wire [6:0]   source_current,
    input  wire         destination_armed,
    input  wire [6:0]   destination_current,
    input  wire [31:0]  cycles,
    input  wire [31:0]  bytes_done,

    // what the engine reports, at the edge at which it happens
    input  wire         drained,            // the soft reset is over
    input  wire         unlock,
    input  wire         fetch_ended,
    input  wire         fetch_list,
    input  wire         fetch_failed,
    input  wire         fetch_lock,
    input  wire         read_fault_decode,  // of the fetch that failed
    input  wire [31:0]  read_fault_address,
    input  wire         report,
    input  wire [16:0]  report_status,
    input  wire         report_fault,
    input  wire [1:0]   report_kind,
    input  wire [1:0]   report_access,
    input  wire [31:0]  report_address
);
    /* verilator lint_off UNUSEDPARAM */ // each module uses its part of the map
    `include "qce_registers.vh"
    /* verilator lint_on UNUSEDPARAM */

    wire        write, read, write_whole, refused, write_taken, read_taken, misaligned;
    wire        interrupt_pending, interrupt_kept;
    wire [15:0] address;
    wire [31:0] write_data, read_data;
    wire [2:0]  write_prot;

    axil_slave #(.ADDRESS_BITS(16)) slave (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .write(write), .read(read), .address(address), .write_data(write_data), .write_whole(write_whole),
        .write_prot(write_prot), .refused(refused), .later(doorbell || soft_reset),
        .answer(fetch_ended || drained), .answer_refused(fetch_ended && fetch_failed), .read_data(read_data)
    );

    qce_access access (
        .clk(clk), .rst(rst), .shared(shared),
        .write(write), .read(read), .address(address), .write_data(write_data), .write_whole(write_whole),
        .write_prot(write_prot), .refused(refused), .write_taken(write_taken), .read_taken(read_taken),
        .soft_reset(soft_reset), .go(go), .doorbell(doorbell), .doorbell_list(doorbell_list),
        .misaligned(misaligned),
        .busy(busy), .interrupt_pending(interrupt_pending), .interrupt_kept(interrupt_kept),
        .source_armed(source_armed), .source_address(source_address[3:0]), .source_length(source_length),
        .destination_armed(destination_armed), .destination_address(destination_address[3:0]),
        .destination_length(destination_length),
        .fetch_ended(fetch_ended && !fetch_failed), .fetch_lock(fetch_lock), .unlock(unlock), .ended(report),
        .locked(locked)
    );

    // -- faults: of a request, of a list at the end of its fetch, or at its doorbell ------------------------
    wire        list_failed = fetch_ended && fetch_failed;
    wire        in_list     = misaligned ? doorbell_list : fetch_list;
    wire [1:0]  list_access = in_list ? FAULT_ACCESS_DESTINATION_LIST : FAULT_ACCESS_SOURCE_LIST;
    wire [1:0]  list_kind   = misaligned ? FAULT_KIND_ALIGNMENT : read_fault_decode ? FAULT_KIND_BUS : FAULT_KIND_PAGE;
    wire [31:0] list_fault  = !misaligned ? read_fault_address : doorbell_list ? destination_address : source_address;

    qce_registers registers (
        .clk(clk), .rst(rst || soft_reset),
        .write(write_taken), .read(read_taken), .go(go), .address(address), .write_data(write_data),
        .read_data(read_data),
        .results_dump(results_dump), .config_word(config_word), .seg_size(seg_size), .encr_size(encr_size),
        .encr_start(encr_start), .counters(counters), .key(key), .source_address(source_address),
        .source_length(source_length), .destination_address(destination_address),
        .destination_length(destination_length),
        .busy(busy), .crypto_state(crypto_state), .locked(locked), .source_current(source_current),
        .destination_current(destination_current), .cycles(cycles), .bytes_done(bytes_done),
        .report(report), .report_status(report_status), .fault(report_fault || misaligned || list_failed),
        .fault_kind(report_fault ? report_kind : list_kind),
        .fault_access(report_fault ? report_access : list_access),
        .fault_address(report_fault ? report_address : list_fault),
        .interrupt_pending(interrupt_pending), .interrupt_kept(interrupt_kept), .irq(irq)
    );
endmodule
`default_nettype wire
