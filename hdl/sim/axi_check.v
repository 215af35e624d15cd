// axi_check.v - passive checker of an AXI4 bus as our masters must drive it and our memory must answer
//
// Counts every finding of axi_check_codes.vh and keeps the code of the first; counts the traffic. A
// simulation with a violation has failed. The rules are those of AXI4 and, beyond it, those of our
// masters: bursts of up to 16 beats of 16 bytes, write strobes all ones, W only after AW, at most two
// reads and one write outstanding, all with one id.
`default_nettype none

module axi_check (
    input  wire         clk,
    input  wire         rst,

    // the bus
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

    // findings since rst
    output reg  [31:0]  violations,
    output reg  [4:0]   first_violation,   // axi_check_codes.vh

    // traffic since rst
    output reg  [31:0]  ar_bursts,
    output reg  [31:0]  r_beats,
    output reg  [31:0]  aw_bursts,
    output reg  [31:0]  w_beats
);
    /* verilator lint_off UNUSEDPARAM */ // CHECK_NONE is for readers of the result
    `include "axi_check_codes.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [2:0] SIZE_16_BYTES = 3'd4;
    localparam [1:0] BURST_INCR    = 2'd1;
    localparam [7:0] MAX_LEN       = 8'd15;

    reg armed;   // a reset has been seen: nothing counts before

    initial armed = 1'b0;

    wire [45:0]  ar_payload = {arid, arburst, arsize, arlen, araddr};
    wire [45:0]  aw_payload = {awid, awburst, awsize, awlen, awaddr};
    wire [144:0] w_payload  = {wlast, wstrb, wdata};
    wire [131:0] r_payload  = {rid, rlast, rresp, rdata};
    wire [2:0]   b_payload  = {bid, bresp};
    reg          ar_waits, r_waits, aw_waits, w_waits, b_waits;
    reg [45:0]   ar_held, aw_held;
    reg [144:0]  w_held;
    reg [131:0]  r_held;
    reg [2:0]    b_held;

    // outstanding reads, oldest first; at most three are told apart
    reg [1:0]    reads;
    reg [7:0]    read_left [0:2];
    reg          read_id   [0:2];
    // the outstanding write
    reg          write_open;    // from AW to B
    reg          write_data;    // from AW to WLAST
    reg [7:0]    write_left;
    reg          write_id;

    reg                found_any;
    reg [CHECK_LAST:1] found;
    integer            code;

    wire unknown = (^{arvalid, arready, rvalid, rready, awvalid, awready, wvalid, wready, bvalid, bready}) === 1'bx;
    wire active  = arvalid || rvalid || awvalid || wvalid || bvalid;
    wire waits   = ar_waits || r_waits || aw_waits || w_waits || b_waits;

    // what is wrong with a burst: shape, crossing of a page
    wire ar_shape   = arsize != SIZE_16_BYTES || arburst != BURST_INCR || arlen > MAX_LEN || araddr[3:0] != 4'd0;
    wire aw_shape   = awsize != SIZE_16_BYTES || awburst != BURST_INCR || awlen > MAX_LEN || awaddr[3:0] != 4'd0;
    wire ar_crosses = {1'b0, araddr[11:4]} + {1'b0, arlen} > 9'd255;
    wire aw_crosses = {1'b0, awaddr[11:4]} + {1'b0, awlen} > 9'd255;

    /* verilator lint_off BLKSEQ */ // findings of one edge are collected, then counted
    always @(posedge clk) begin
        if (rst) begin
            armed           <= 1'b1;
            violations       = 32'd0;
            first_violation  = CHECK_NONE;
            ar_bursts       <= 32'd0;
            r_beats         <= 32'd0;
            aw_bursts       <= 32'd0;
            w_beats         <= 32'd0;
            {ar_waits, r_waits, aw_waits, w_waits, b_waits} <= 5'd0;
            reads      = 2'd0;
            write_open <= 1'b0;
            write_data <= 1'b0;
        end else if (armed && (unknown || active || waits)) begin
            found = {CHECK_LAST{1'b0}};
            found[CHECK_UNKNOWN]     = unknown;
            found[CHECK_AR_UNSTABLE] = ar_waits && (!arvalid || ar_payload != ar_held);
            found[CHECK_R_UNSTABLE]  = r_waits && (!rvalid || r_payload != r_held);
            found[CHECK_AW_UNSTABLE] = aw_waits && (!awvalid || aw_payload != aw_held);
            found[CHECK_W_UNSTABLE]  = w_waits && (!wvalid || w_payload != w_held);
            found[CHECK_B_UNSTABLE]  = b_waits && (!bvalid || b_payload != b_held);
            ar_waits <= arvalid && !arready;
            r_waits  <= rvalid && !rready;
            aw_waits <= awvalid && !awready;
            w_waits  <= wvalid && !wready;
            b_waits  <= bvalid && !bready;
            ar_held  <= ar_payload;
            aw_held  <= aw_payload;
            b_held   <= b_payload;
            if (rvalid && !rready)
                r_held <= r_payload;
            if (wvalid && !wready)
                w_held <= w_payload;

            if (rvalid && rready) begin
                r_beats <= r_beats + 32'd1;
                if (reads == 2'd0)
                    found[CHECK_R_UNREQUESTED] = 1'b1;
                else begin
                    found[CHECK_RLAST] = rlast != (read_left[0] == 8'd0);
                    found[CHECK_ID]    = rid != read_id[0];
                    read_left[0] = read_left[0] - 8'd1;
                    if (rlast) begin
                        reads = reads - 2'd1;
                        read_left[0] = read_left[1];
                        read_left[1] = read_left[2];
                        read_id[0]   = read_id[1];
                        read_id[1]   = read_id[2];
                    end
                end
            end
            if (arvalid && arready) begin
                ar_bursts <= ar_bursts + 32'd1;
                found[CHECK_AR_SHAPE]        = ar_shape;
                found[CHECK_AR_CROSSES_PAGE] = ar_crosses;
                if (reads >= 2'd2)
                    found[CHECK_READS_OUTSTANDING] = 1'b1;
                if (reads != 2'd3) begin
                    read_left[reads] = arlen;
                    read_id[reads]   = arid;
                    reads            = reads + 2'd1;
                end
            end

            if (bvalid && bready) begin
                if (!write_open || write_data)
                    found[CHECK_B_UNREQUESTED] = 1'b1;
                else if (bid != write_id)
                    found[CHECK_ID] = 1'b1;
                write_open <= 1'b0;
            end
            if (wvalid && !w_waits)
                found[CHECK_W_WITHOUT_AW] = !write_data;
            if (wvalid && wready) begin
                w_beats <= w_beats + 32'd1;
                found[CHECK_WSTRB] = wstrb != 16'hffff;
                if (write_data) begin
                    found[CHECK_WLAST] = wlast != (write_left == 8'd0);
                    write_left <= write_left - 8'd1;
                    if (wlast)
                        write_data <= 1'b0;
                end
            end
            if (awvalid && awready) begin
                aw_bursts <= aw_bursts + 32'd1;
                found[CHECK_AW_SHAPE]          = aw_shape;
                found[CHECK_AW_CROSSES_PAGE]   = aw_crosses;
                found[CHECK_WRITE_OUTSTANDING] = write_open;
                write_open <= 1'b1;
                write_data <= 1'b1;
                write_left <= awlen;
                write_id   <= awid;
            end

            found_any = |found;
            if (found_any)
                for (code = 1; code <= {27'd0, CHECK_LAST}; code = code + 1)
                    if (found[code]) begin
                        violations = violations + 32'd1;
                        if (violations == 32'd1)
                            first_violation = code[4:0];
                    end
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule
`default_nettype wire
