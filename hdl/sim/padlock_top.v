// padlock_top.v - the PadLock engine on a memory, for Python that wakes up once per request
//
// MEM_LINES   memory in lines of 512 bytes, see axi_ram
// CPUS        1, or 2: each with an engine, one of which runs at a time
// STAGES      rounds in flight in the core, see aes_ecb
//
// Python writes inputs at falling edges. A change of the top bit of `op` posts the request in it: it is accepted
// at the next rising edge, or when the engine becomes ready. done_event changes when the request ends, and
// `result` holds its outcome from then until the next one ends; it is that of `cpu`. A request that waits is
// dropped by rst and soft_rst.
`default_nettype none

module padlock_top #(
    parameter MEM_LINES = 8192,
    parameter CPUS      = 1,
    parameter STAGES    = 1
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         soft_rst,

    // requests
    input  wire         cpu,              // on which CPU; changes only while its engine is not busy
    input  wire [160:0] op,               // {toggle, count, dst, src, key, cword}
    input  wire [31:0]  op_interrupt_at,  // irq at this edge after acceptance; 0: none
    input  wire         irq_toggle,       // a change: irq at the next edge
    input  wire         flags_toggle,     // a change: flags_load at the next edge
    output reg          done_event,       // changes when done_valid rises
    output wire [163:0] result,           // {key_loaded, status, cycles, address, count, dst, src}
    output wire         busy,             // not ready for a request
    output wire         key_loaded,       // EFLAGS bit 30
    input  wire         asleep,           // for verilator_main.cpp: Python waits for done_event, busy and time only

    // straps of the engine, sampled while rst or soft_rst is high
    input  wire [15:0]  quirk,
    input  wire [3:0]   fetch_blocks,
    input  wire [15:0]  setup_cycles,

    // the memory, see axi_ram
    input  wire [15:0]  read_latency,
    input  wire [15:0]  write_latency,
    input  wire [31:0]  stall_seed,
    input  wire [4:0]   stall_mask,
    input  wire [7:0]   stall_rate,
    input  wire [1:0]   bus_error_enable,
    input  wire [31:0]  bus_error_address,
    input  wire [128:0] push,
    output wire [32:0]  pulled,

    // the bus, see axi_check
    output wire [31:0]  axi_violations,
    output wire [4:0]   axi_first_violation,
    output wire [31:0]  ar_bursts,
    output wire [31:0]  r_beats,
    output wire [31:0]  aw_bursts,
    output wire [31:0]  w_beats
);
    initial done_event = 1'b0;

    // -- requests and events ----------------------------------------------------------------------
    reg        op_seen, irq_seen, flags_seen;
    reg [31:0] irq_wait;      // edges until irq, counted from acceptance; 0: none

    wire         xcrypt_valid = op[160] != op_seen;
    wire         xcrypt_ready;
    wire         irq          = irq_toggle != irq_seen || irq_wait == 32'd1;
    wire         flags_load   = flags_toggle != flags_seen;
    wire         done_valid;
    wire [162:0] done;

    assign busy   = !xcrypt_ready;
    assign result = {key_loaded, done};

    always @(posedge clk) begin
        irq_seen   <= irq_toggle;
        flags_seen <= flags_toggle;
        if ((xcrypt_valid && xcrypt_ready) || rst || soft_rst)
            op_seen <= op[160];
        if (rst || soft_rst)
            irq_wait <= 32'd0;
        else if (xcrypt_valid && xcrypt_ready)
            irq_wait <= op_interrupt_at;
        else if (irq_wait != 32'd0)
            irq_wait <= irq_wait - 32'd1;
    end

    always @(posedge done_valid)
        done_event <= !done_event;

    // -- engine -----------------------------------------------------------------------------------
    wire         arid, arvalid, arready, rlast, rvalid, rready;
    wire         awid, awvalid, awready, wlast, wvalid, wready, bvalid, bready;
    wire [31:0]  araddr, awaddr;
    wire [7:0]   arlen, awlen;
    wire [2:0]   arsize, awsize;
    wire [1:0]   arburst, awburst, rresp, bresp;
    wire [127:0] rdata, wdata;
    wire [15:0]  wstrb;

    padlock_cpus #(.CPUS(CPUS), .STAGES(STAGES)) cpus (
        .clk(clk), .rst(rst), .soft_rst(soft_rst), .cpu(cpu),
        .quirk(quirk), .fetch_blocks(fetch_blocks), .setup_cycles(setup_cycles),
        .xcrypt_valid(xcrypt_valid), .xcrypt_ready(xcrypt_ready), .xcrypt(op[159:0]),
        .done_valid(done_valid), .done(done),
        .flags_load(flags_load), .irq(irq), .key_loaded(key_loaded),
        .ar({arid, arburst, arsize, arlen, araddr}), .arvalid(arvalid), .arready(arready),
        .r({rlast, rresp, rdata}), .rvalid(rvalid), .rready(rready),
        .aw({awid, awburst, awsize, awlen, awaddr}), .awvalid(awvalid), .awready(awready),
        .w({wlast, wstrb, wdata}), .wvalid(wvalid), .wready(wready),
        .bresp(bresp), .bvalid(bvalid), .bready(bready)
    );

    wire unused = &{1'b0, asleep, 1'b0};

    // -- memory and checker -------------------------------------------------------------------------
    axi_ram #(.LINES(MEM_LINES)) ram (
        .clk(clk), .rst(rst),
        .read_latency(read_latency), .write_latency(write_latency),
        .stall_seed(stall_seed), .stall_mask(stall_mask), .stall_rate(stall_rate),
        .bus_error_enable(bus_error_enable), .bus_error_address(bus_error_address),
        .push(push), .pull(xcrypt_ready), .pulled(pulled),
        .s_axi_araddr(araddr), .s_axi_arlen(arlen), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(rvalid), .s_axi_rready(rready),
        .s_axi_awaddr(awaddr), .s_axi_awlen(awlen), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_wdata(wdata), .s_axi_wlast(wlast), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
        .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready)
    );

    axi_check check (
        .clk(clk), .rst(rst),
        .arid(arid), .araddr(araddr), .arlen(arlen), .arsize(arsize), .arburst(arburst), .arvalid(arvalid),
        .arready(arready),
        .rid(1'b0), .rdata(rdata), .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready),
        .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize), .awburst(awburst), .awvalid(awvalid),
        .awready(awready),
        .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
        .bid(1'b0), .bresp(bresp), .bvalid(bvalid), .bready(bready),
        .violations(axi_violations), .first_violation(axi_first_violation),
        .ar_bursts(ar_bursts), .r_beats(r_beats), .aw_bursts(aw_bursts), .w_beats(w_beats)
    );
endmodule
`default_nettype wire
