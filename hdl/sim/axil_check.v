// axil_check.v - passive checker of an AXI4-Lite bus, of its master and of its slave
//
// Counts every finding of axil_check_codes.vh and keeps the code of the first. A simulation with a
// violation has failed. Address and data of a write may come in any order; up to 255 accesses of a kind
// may be under way.
`default_nettype none

module axil_check (
    input  wire        clk,
    input  wire        rst,

    // the bus
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

    // findings since rst
    output reg  [31:0] violations,
    output reg  [4:0]  first_violation   // axil_check_codes.vh
);
    `include "axil_check_codes.vh"

    localparam [1:0] EXOKAY = 2'd1;

    reg armed;   // a reset has been seen: nothing counts before

    initial armed = 1'b0;

    wire [18:0] aw_payload = {awprot, awaddr};
    wire [35:0] w_payload  = {wstrb, wdata};
    wire [18:0] ar_payload = {arprot, araddr};
    wire [33:0] r_payload  = {rresp, rdata};
    reg         aw_waits, w_waits, b_waits, ar_waits, r_waits;
    reg [18:0]  aw_held, ar_held;
    reg [35:0]  w_held;
    reg [1:0]   b_held;
    reg [33:0]  r_held;

    // accesses taken and not answered
    reg [7:0]   addresses, data, reads;

    reg [CHECK_AXIL_LAST:CHECK_AXIL_FIRST] found;
    integer                                code;

    wire unknown = (^{awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready}) === 1'bx;
    wire active  = awvalid || wvalid || bvalid || arvalid || rvalid;
    wire waits   = aw_waits || w_waits || b_waits || ar_waits || r_waits;
    wire unknown_payload = (awvalid && (^aw_payload) === 1'bx) || (wvalid && (^w_payload) === 1'bx)
                        || (bvalid && (^bresp) === 1'bx) || (arvalid && (^ar_payload) === 1'bx)
                        || (rvalid && (^r_payload) === 1'bx);

    /* verilator lint_off BLKSEQ */ // findings of one edge are collected, then counted
    always @(posedge clk) begin
        if (rst) begin
            armed           <= 1'b1;
            violations       = 32'd0;
            first_violation  = CHECK_AXIL_NONE;
            {aw_waits, w_waits, b_waits, ar_waits, r_waits} <= 5'd0;
            addresses       <= 8'd0;
            data            <= 8'd0;
            reads           <= 8'd0;
        end else if (armed && (unknown || active || waits)) begin
            found[CHECK_AXIL_AW_UNSTABLE]     = aw_waits && (!awvalid || aw_payload != aw_held);
            found[CHECK_AXIL_W_UNSTABLE]      = w_waits && (!wvalid || w_payload != w_held);
            found[CHECK_AXIL_B_UNSTABLE]      = b_waits && (!bvalid || bresp != b_held);
            found[CHECK_AXIL_AR_UNSTABLE]     = ar_waits && (!arvalid || ar_payload != ar_held);
            found[CHECK_AXIL_R_UNSTABLE]      = r_waits && (!rvalid || r_payload != r_held);
            found[CHECK_AXIL_B_UNREQUESTED]   = bvalid && !b_waits && (addresses == 8'd0 || data == 8'd0);
            found[CHECK_AXIL_R_UNREQUESTED]   = rvalid && !r_waits && reads == 8'd0;
            found[CHECK_AXIL_EXCLUSIVE]       = (bvalid && bready && bresp == EXOKAY)
                                             || (rvalid && rready && rresp == EXOKAY);
            found[CHECK_AXIL_UNKNOWN]         = unknown;
            found[CHECK_AXIL_UNKNOWN_PAYLOAD] = unknown_payload;
            aw_waits <= awvalid && !awready;
            w_waits  <= wvalid && !wready;
            b_waits  <= bvalid && !bready;
            ar_waits <= arvalid && !arready;
            r_waits  <= rvalid && !rready;
            aw_held  <= aw_payload;
            w_held   <= w_payload;
            b_held   <= bresp;
            ar_held  <= ar_payload;
            r_held   <= r_payload;
            addresses <= addresses + {7'd0, awvalid && awready} - {7'd0, bvalid && bready && addresses != 8'd0};
            data      <= data + {7'd0, wvalid && wready} - {7'd0, bvalid && bready && data != 8'd0};
            reads     <= reads + {7'd0, arvalid && arready} - {7'd0, rvalid && rready && reads != 8'd0};

            for (code = {27'd0, CHECK_AXIL_FIRST}; code <= {27'd0, CHECK_AXIL_LAST}; code = code + 1)
                if (found[code] === 1'b1) begin
                    violations = violations + 32'd1;
                    if (violations == 32'd1)
                        first_violation = code[4:0];
                end
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule
`default_nettype wire
