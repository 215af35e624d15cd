// axi_check_top.v - axi_check alone, with a bus that Python drives: shows that it counts what is wrong
`default_nettype none

module axi_check_top (
    input  wire         clk,
    input  wire         rst,
    input  wire         arid,
    input  wire [31:0]  araddr,
    input  wire [7:0]   arlen,
    input  wire [2:0]   arsize,
    input  wire [1:0]   arburst,
    input  wire         arvalid,
    input  wire         arready,
    input  wire         rid,
    input  wire [127:0] rdata,
    input  wire [1:0]   rresp,
    input  wire         rlast,
    input  wire         rvalid,
    input  wire         rready,
    input  wire         awid,
    input  wire [31:0]  awaddr,
    input  wire [7:0]   awlen,
    input  wire [2:0]   awsize,
    input  wire [1:0]   awburst,
    input  wire         awvalid,
    input  wire         awready,
    input  wire [127:0] wdata,
    input  wire [15:0]  wstrb,
    input  wire         wlast,
    input  wire         wvalid,
    input  wire         wready,
    input  wire         bid,
    input  wire [1:0]   bresp,
    input  wire         bvalid,
    input  wire         bready,
    output wire [31:0]  axi_violations,
    output wire [4:0]   axi_first_violation,
    output wire [31:0]  ar_bursts,
    output wire [31:0]  r_beats,
    output wire [31:0]  aw_bursts,
    output wire [31:0]  w_beats
);
    axi_check check (
        .clk(clk), .rst(rst),
        .arid(arid), .araddr(araddr), .arlen(arlen), .arsize(arsize), .arburst(arburst), .arvalid(arvalid),
        .arready(arready),
        .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready),
        .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize), .awburst(awburst), .awvalid(awvalid),
        .awready(awready),
        .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
        .bid(bid), .bresp(bresp), .bvalid(bvalid), .bready(bready),
        .violations(axi_violations), .first_violation(axi_first_violation),
        .ar_bursts(ar_bursts), .r_beats(r_beats), .aw_bursts(aw_bursts), .w_beats(w_beats)
    );
endmodule
`default_nettype wire
