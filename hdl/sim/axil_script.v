// axil_script.v - AXI4-Lite master that makes register accesses for Python, a whole script at a time
//
// Entry k of a script is in bits 49k+48:49k of `script`: {write, address, data}. A change of the top bit of
// script_post = {toggle, prot, count} posts the first `count` entries, 1 to 32 of them. A script ends at the
// response of its last entry, or of the first that is refused; script_event changes then, and script_result =
// {refused, done, data} holds until the next one starts: how many entries have been answered, the refused
// one included, and the data of entry k in bits 32k+31:32k, 0 for a write. `second` = {toggle, prot, write,
// address, data} posts a single access in the same way; it goes before what is left of a script.
//
// Times: posted between the edges T-1 and T, the first access is on the bus after T, taken at T+1 and answered
// at T+2 if nothing waits; at that edge the next one is put on the bus. What is posted is dropped by rst.
`default_nettype none

module axil_script (
    input  wire          clk,
    input  wire          rst,

    input  wire [1567:0] script,
    input  wire [9:0]    script_post,
    output reg           script_event,
    output wire [1030:0] script_result,
    input  wire [52:0]   second,
    output reg           second_event,
    output reg  [32:0]   second_result,     // {refused, data}

    output reg  [15:0]   m_axil_awaddr,
    output reg  [2:0]    m_axil_awprot,
    output reg           m_axil_awvalid,
    input  wire          m_axil_awready,
    output reg  [31:0]   m_axil_wdata,
    output wire [3:0]    m_axil_wstrb,
    output reg           m_axil_wvalid,
    input  wire          m_axil_wready,
    input  wire [1:0]    m_axil_bresp,
    input  wire          m_axil_bvalid,
    output wire          m_axil_bready,
    output wire [15:0]   m_axil_araddr,
    output wire [2:0]    m_axil_arprot,
    output reg           m_axil_arvalid,
    input  wire          m_axil_arready,
    input  wire [31:0]   m_axil_rdata,
    input  wire [1:0]    m_axil_rresp,
    input  wire          m_axil_rvalid,
    output wire          m_axil_rready
);
    initial begin
        script_event  = 1'b0;
        second_event  = 1'b0;
        second_result = 33'd0;
    end

    reg          script_seen, second_seen;
    reg          running_reg;     // a script has entries left
    reg          on_bus_reg;      // an access is: from its first edge to its response
    reg          single_reg;      // it is `second`
    reg [5:0]    done_reg;
    reg          refused_reg;
    reg [1023:0] data_reg;

    assign script_result = {refused_reg, done_reg, data_reg};
    assign m_axil_araddr = m_axil_awaddr;
    assign m_axil_arprot = m_axil_awprot;
    assign m_axil_wstrb  = 4'b1111;
    assign m_axil_bready = 1'b1;
    assign m_axil_rready = 1'b1;

    wire        answered     = m_axil_bvalid || m_axil_rvalid;
    wire        refused      = m_axil_bvalid ? m_axil_bresp[1] : m_axil_rresp[1];
    wire [31:0] data         = m_axil_bvalid ? 32'd0 : m_axil_rdata;
    wire        script_start = script_post[9] != script_seen && !running_reg;
    wire [5:0]  done         = done_reg + 6'd1;
    wire        script_end   = answered && !single_reg && (refused || done == script_post[5:0]);
    wire        script_left  = script_start || (running_reg && !script_end);
    wire [4:0]  entry        = script_start ? 5'd0 : answered && !single_reg ? done[4:0] : done_reg[4:0];
    wire        free         = !on_bus_reg || answered;
    wire        load_single  = free && second[52] != second_seen;
    wire        load_script  = free && !load_single && script_left;

    always @(posedge clk) begin
        if (m_axil_awready)
            m_axil_awvalid <= 1'b0;
        if (m_axil_wready)
            m_axil_wvalid <= 1'b0;
        if (m_axil_arready)
            m_axil_arvalid <= 1'b0;
        if (answered) begin
            on_bus_reg <= 1'b0;
            if (single_reg) begin
                second_result <= {refused, data};
                second_event  <= !second_event;
            end else begin
                data_reg[{done_reg[4:0], 5'd0} +: 32] <= data;
                done_reg    <= done;
                refused_reg <= refused;
            end
        end
        if (script_end) begin
            running_reg  <= 1'b0;
            script_event <= !script_event;
        end
        if (script_start) begin
            script_seen <= script_post[9];
            running_reg <= 1'b1;
            done_reg    <= 6'd0;
            refused_reg <= 1'b0;
            data_reg    <= 1024'd0;
        end
        if (load_single) begin
            second_seen <= second[52];
            {m_axil_awprot, m_axil_awvalid, m_axil_awaddr, m_axil_wdata} <= second[51:0];
        end
        if (load_script) begin
            m_axil_awprot <= script_post[8:6];
            {m_axil_awvalid, m_axil_awaddr, m_axil_wdata} <= script[49 * entry +: 49];
        end
        if (load_single || load_script) begin
            on_bus_reg     <= 1'b1;
            single_reg     <= load_single;
            m_axil_wvalid  <= load_single ? second[48] : script[49 * entry + 48];
            m_axil_arvalid <= load_single ? !second[48] : !script[49 * entry + 48];
        end
        if (rst) begin
            m_axil_awvalid <= 1'b0;
            m_axil_wvalid  <= 1'b0;
            m_axil_arvalid <= 1'b0;
            on_bus_reg     <= 1'b0;
            running_reg    <= 1'b0;
            script_seen    <= script_post[9];
            second_seen    <= second[52];
        end
    end

    wire unused = &{1'b0, m_axil_bresp[0], m_axil_rresp[0], 1'b0};
endmodule
`default_nettype wire
