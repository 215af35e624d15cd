// qce_top.v - the QCE engine on a memory, for Python that wakes up once per script of register accesses
//
// MEM_LINES   memory in lines of 512 bytes, see axi_ram
// STAGES      rounds in flight in the core, see aes_ecb
//
// Python writes inputs at falling edges; axil_script tells how accesses are posted and when they are
// answered. done_event changes with each of script_event, second_event and irq.
`default_nettype none

module qce_top #(
    parameter MEM_LINES = 8192,
    parameter STAGES    = 1
) (
    input  wire          clk,
    input  wire          rst,

    // register accesses, see axil_script
    input  wire [1567:0] script,            // 32 entries {write, address, data}
    input  wire [9:0]    script_post,       // {toggle, prot, count}
    output wire          script_event,
    output wire [1030:0] script_result,     // {refused, done, data of 32 entries}
    input  wire [52:0]   second,            // {toggle, prot, write, address, data}
    output wire          second_event,
    output wire [32:0]   second_result,     // {refused, data}

    output wire          irq,
    output reg           done_event,
    output wire          busy,              // a request, a list or a soft reset is being worked on
    input  wire          asleep,            // for verilator_main.cpp: Python waits for done_event, busy and time only

    // straps of the engine, sampled while rst is high and during a soft reset
    input  wire [15:0]   quirk,
    input  wire [15:0]   slow_start_cycles,

    // the memory, see axi_ram
    input  wire [15:0]   read_latency,
    input  wire [15:0]   write_latency,
    input  wire [31:0]   stall_seed,
    input  wire [4:0]    stall_mask,
    input  wire [7:0]    stall_rate,
    input  wire [1:0]    bus_error_enable,
    input  wire [31:0]   bus_error_address,
    input  wire [128:0]  push,
    output wire [32:0]   pulled,

    // both buses, see axi_check and axil_check; the traffic is that of the memory's
    output wire [31:0]   axi_violations,
    output wire [4:0]    axi_first_violation,
    output wire [31:0]   ar_bursts,
    output wire [31:0]   r_beats,
    output wire [31:0]   aw_bursts,
    output wire [31:0]   w_beats
);
    // -- register accesses --------------------------------------------------------------------------
    wire [15:0] s_awaddr, s_araddr;
    wire [2:0]  s_awprot, s_arprot;
    wire        s_awvalid, s_awready, s_wvalid, s_wready, s_bvalid, s_bready, s_arvalid, s_arready, s_rvalid, s_rready;
    wire [31:0] s_wdata, s_rdata;
    wire [3:0]  s_wstrb;
    wire [1:0]  s_bresp, s_rresp;

    axil_script master (
        .clk(clk), .rst(rst),
        .script(script), .script_post(script_post), .script_event(script_event), .script_result(script_result),
        .second(second), .second_event(second_event), .second_result(second_result),
        .m_axil_awaddr(s_awaddr), .m_axil_awprot(s_awprot), .m_axil_awvalid(s_awvalid), .m_axil_awready(s_awready),
        .m_axil_wdata(s_wdata), .m_axil_wstrb(s_wstrb), .m_axil_wvalid(s_wvalid), .m_axil_wready(s_wready),
        .m_axil_bresp(s_bresp), .m_axil_bvalid(s_bvalid), .m_axil_bready(s_bready),
        .m_axil_araddr(s_araddr), .m_axil_arprot(s_arprot), .m_axil_arvalid(s_arvalid), .m_axil_arready(s_arready),
        .m_axil_rdata(s_rdata), .m_axil_rresp(s_rresp), .m_axil_rvalid(s_rvalid), .m_axil_rready(s_rready)
    );

    initial done_event = 1'b0;

    always @(posedge script_event or negedge script_event or posedge second_event or negedge second_event
             or posedge irq or negedge irq)
        done_event <= !done_event;

    // -- engine -----------------------------------------------------------------------------------
    wire         arid, arlock, arvalid, arready, rlast, rvalid, rready;
    wire         awid, awlock, awvalid, awready, wlast, wvalid, wready, bvalid, bready;
    wire [31:0]  araddr, awaddr;
    wire [7:0]   arlen, awlen;
    wire [2:0]   arsize, awsize, arprot, awprot;
    wire [1:0]   arburst, awburst, rresp, bresp;
    wire [3:0]   arcache, awcache;
    wire [127:0] rdata, wdata;
    wire [15:0]  wstrb;

    qce #(.STAGES(STAGES)) engine (
        .clk(clk), .rst(rst), .quirk(quirk), .slow_start_cycles(slow_start_cycles),
        .s_axil_awaddr(s_awaddr), .s_axil_awprot(s_awprot), .s_axil_awvalid(s_awvalid), .s_axil_awready(s_awready),
        .s_axil_wdata(s_wdata), .s_axil_wstrb(s_wstrb), .s_axil_wvalid(s_wvalid), .s_axil_wready(s_wready),
        .s_axil_bresp(s_bresp), .s_axil_bvalid(s_bvalid), .s_axil_bready(s_bready),
        .s_axil_araddr(s_araddr), .s_axil_arprot(s_arprot), .s_axil_arvalid(s_arvalid), .s_axil_arready(s_arready),
        .s_axil_rdata(s_rdata), .s_axil_rresp(s_rresp), .s_axil_rvalid(s_rvalid), .s_axil_rready(s_rready),
        .irq(irq), .busy(busy),
        .m_axi_arid(arid), .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize),
        .m_axi_arburst(arburst), .m_axi_arlock(arlock), .m_axi_arcache(arcache), .m_axi_arprot(arprot),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready),
        .m_axi_rid(1'b0), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid),
        .m_axi_rready(rready),
        .m_axi_awid(awid), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize),
        .m_axi_awburst(awburst), .m_axi_awlock(awlock), .m_axi_awcache(awcache), .m_axi_awprot(awprot),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready),
        .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_bid(1'b0), .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready)
    );

    wire unused = &{1'b0, asleep, arlock, arcache, arprot, awlock, awcache, awprot, 1'b0};

    // -- memory and checkers -------------------------------------------------------------------------
    axi_ram #(.LINES(MEM_LINES)) ram (
        .clk(clk), .rst(rst),
        .read_latency(read_latency), .write_latency(write_latency),
        .stall_seed(stall_seed), .stall_mask(stall_mask), .stall_rate(stall_rate),
        .bus_error_enable(bus_error_enable), .bus_error_address(bus_error_address),
        .push(push), .pull(!busy), .pulled(pulled),
        .s_axi_araddr(araddr), .s_axi_arlen(arlen), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(rvalid), .s_axi_rready(rready),
        .s_axi_awaddr(awaddr), .s_axi_awlen(awlen), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_wdata(wdata), .s_axi_wlast(wlast), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
        .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready)
    );

    wire [31:0] violations, axil_violations;
    wire [4:0]  first_violation, axil_first_violation;

    assign axi_violations      = violations + axil_violations;
    assign axi_first_violation = violations != 0 ? first_violation : axil_first_violation;

    axi_check check (
        .clk(clk), .rst(rst),
        .arid(arid), .araddr(araddr), .arlen(arlen), .arsize(arsize), .arburst(arburst), .arvalid(arvalid),
        .arready(arready),
        .rid(1'b0), .rdata(rdata), .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready),
        .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize), .awburst(awburst), .awvalid(awvalid),
        .awready(awready),
        .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
        .bid(1'b0), .bresp(bresp), .bvalid(bvalid), .bready(bready),
        .violations(violations), .first_violation(first_violation),
        .ar_bursts(ar_bursts), .r_beats(r_beats), .aw_bursts(aw_bursts), .w_beats(w_beats)
    );

    axil_check axil_check (
        .clk(clk), .rst(rst),
        .awaddr(s_awaddr), .awprot(s_awprot), .awvalid(s_awvalid), .awready(s_awready),
        .wdata(s_wdata), .wstrb(s_wstrb), .wvalid(s_wvalid), .wready(s_wready),
        .bresp(s_bresp), .bvalid(s_bvalid), .bready(s_bready),
        .araddr(s_araddr), .arprot(s_arprot), .arvalid(s_arvalid), .arready(s_arready),
        .rdata(s_rdata), .rresp(s_rresp), .rvalid(s_rvalid), .rready(s_rready),
        .violations(axil_violations), .first_violation(axil_first_violation)
    );
endmodule
`default_nettype wire
