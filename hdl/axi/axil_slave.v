// axil_slave.v - AXI4-Lite front of a register file: one access at a time, of 32 bits
//
// ADDRESS_BITS   width of the addresses
//
// Addresses and data are taken as they come while no access is under way, one of each; no ready depends on a
// valid. A write is made at the edge at which both its address and its data are there. A read that comes
// at the same edge is made after it, and goes before the next write. `write` or `read` is high at the edge
// of the access, with `address` and what belongs to it; the register file says at that edge whether it is
// refused (SLVERR, and a read gives 0). The response is offered after that edge and can be taken at the
// next one. A write that is answered `later` keeps the bus until `answer`; its response is offered after
// the edge of that. The next access comes two edges after the one before at the earliest.
`default_nettype none

module axil_slave #(
    parameter ADDRESS_BITS = 16
) (
    input  wire                    clk,
    input  wire                    rst,

    // AXI4-Lite
    input  wire [ADDRESS_BITS-1:0] s_axil_awaddr,
    input  wire [2:0]              s_axil_awprot,
    input  wire                    s_axil_awvalid,
    output wire                    s_axil_awready,
    input  wire [31:0]             s_axil_wdata,
    input  wire [3:0]              s_axil_wstrb,
    input  wire                    s_axil_wvalid,
    output wire                    s_axil_wready,
    output wire [1:0]              s_axil_bresp,
    output wire                    s_axil_bvalid,
    input  wire                    s_axil_bready,
    input  wire [ADDRESS_BITS-1:0] s_axil_araddr,
    input  wire [2:0]              s_axil_arprot,
    input  wire                    s_axil_arvalid,
    output wire                    s_axil_arready,
    output wire [31:0]             s_axil_rdata,
    output wire [1:0]              s_axil_rresp,
    output wire                    s_axil_rvalid,
    input  wire                    s_axil_rready,

    // the access
    output wire                    write,
    output wire                    read,
    output wire [ADDRESS_BITS-1:0] address,
    output wire [31:0]             write_data,
    output wire                    write_whole,    // all four bytes
    output wire [2:0]              write_prot,

    // what the register file makes of it
    input  wire                    refused,        // at the edge of the access
    input  wire                    later,          // likewise, of a write: the answer comes later
    input  wire                    answer,
    input  wire                    answer_refused, // with answer
    input  wire [31:0]             read_data       // from the edge after the access until the next one
);
    localparam [1:0] OKAY   = 2'b00;
    localparam [1:0] SLVERR = 2'b10;

    localparam [1:0] IDLE    = 2'd0;
    localparam [1:0] LATER   = 2'd1;
    localparam [1:0] WRITTEN = 2'd2;
    localparam [1:0] READ    = 2'd3;

    reg [1:0] state_reg, state_next;
    reg       error_reg;

    // -- what has come and still waits ----------------------------------------------------------------
    reg                    aw_held_reg, w_held_reg, ar_held_reg;
    reg [ADDRESS_BITS-1:0] awaddr_reg, araddr_reg;
    reg [2:0]              awprot_reg;
    reg [31:0]             wdata_reg;
    reg                    whole_reg;

    wire idle       = state_reg == IDLE;
    wire whole_here = (aw_held_reg || s_axil_awvalid) && (w_held_reg || s_axil_wvalid);

    assign write       = idle && whole_here && !ar_held_reg;
    assign read        = idle && !write && (ar_held_reg || s_axil_arvalid);
    assign address     = !write ? (ar_held_reg ? araddr_reg : s_axil_araddr)
                         : aw_held_reg ? awaddr_reg : s_axil_awaddr;
    assign write_data  = w_held_reg ? wdata_reg : s_axil_wdata;
    assign write_whole = w_held_reg ? whole_reg : &s_axil_wstrb;
    assign write_prot  = aw_held_reg ? awprot_reg : s_axil_awprot;

    assign s_axil_awready = idle && !aw_held_reg;
    assign s_axil_wready  = idle && !w_held_reg;
    assign s_axil_arready = idle && !ar_held_reg;
    assign s_axil_bvalid  = state_reg == WRITTEN;
    assign s_axil_bresp   = error_reg ? SLVERR : OKAY;
    assign s_axil_rvalid  = state_reg == READ;
    assign s_axil_rresp   = error_reg ? SLVERR : OKAY;
    assign s_axil_rdata   = error_reg ? 32'd0 : read_data;

    always @(posedge clk) begin
        if (s_axil_awvalid && s_axil_awready) begin
            awaddr_reg <= s_axil_awaddr;
            awprot_reg <= s_axil_awprot;
        end
        if (s_axil_wvalid && s_axil_wready) begin
            wdata_reg <= s_axil_wdata;
            whole_reg <= &s_axil_wstrb;
        end
        if (s_axil_arvalid && s_axil_arready)
            araddr_reg <= s_axil_araddr;
        if (idle) begin
            aw_held_reg <= (aw_held_reg || s_axil_awvalid) && !write;
            w_held_reg  <= (w_held_reg || s_axil_wvalid) && !write;
            ar_held_reg <= (ar_held_reg || s_axil_arvalid) && !read;
        end
        if (rst) begin
            aw_held_reg <= 1'b0;
            w_held_reg  <= 1'b0;
            ar_held_reg <= 1'b0;
        end
    end

    // -- the access -----------------------------------------------------------------------------------
    always @* begin
        state_next = state_reg;
        case (state_reg)
            IDLE:
                if (write)
                    state_next = later && !refused ? LATER : WRITTEN;
                else if (read)
                    state_next = READ;
            LATER:
                if (answer)
                    state_next = WRITTEN;
            WRITTEN:
                if (s_axil_bready)
                    state_next = IDLE;
            READ:
                if (s_axil_rready)
                    state_next = IDLE;
        endcase
        if (rst)
            state_next = IDLE;
    end

    always @(posedge clk) begin
        state_reg <= state_next;
        if (write || read)
            error_reg <= refused;
        if (answer)
            error_reg <= answer_refused;
    end

    wire unused = &{1'b0, s_axil_arprot, 1'b0};
endmodule
`default_nettype wire
