// axil_check_top.v - axil_check alone, with a bus that Python drives: shows that it counts what is wrong
`default_nettype none

module axil_check_top (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] awaddr,
    input  wire [2:0]  awprot,
    input  wire        awvalid,
    input  wire        awready,
    input  wire [31:0] wdata,
    input  wire [3:0]  wstrb,
    input  wire        wvalid,
    input  wire        wready,
    input  wire [1:0]  bresp,
    input  wire        bvalid,
    input  wire        bready,
    input  wire [15:0] araddr,
    input  wire [2:0]  arprot,
    input  wire        arvalid,
    input  wire        arready,
    input  wire [31:0] rdata,
    input  wire [1:0]  rresp,
    input  wire        rvalid,
    input  wire        rready,
    output wire [31:0] axi_violations,
    output wire [4:0]  axi_first_violation
);
    axil_check check (
        .clk(clk), .rst(rst),
        .awaddr(awaddr), .awprot(awprot), .awvalid(awvalid), .awready(awready),
        .wdata(wdata), .wstrb(wstrb), .wvalid(wvalid), .wready(wready),
        .bresp(bresp), .bvalid(bvalid), .bready(bready),
        .araddr(araddr), .arprot(arprot), .arvalid(arvalid), .arready(arready),
        .rdata(rdata), .rresp(rresp), .rvalid(rvalid), .rready(rready),
        .violations(axi_violations), .first_violation(axi_first_violation)
    );
endmodule
`default_nettype wire
