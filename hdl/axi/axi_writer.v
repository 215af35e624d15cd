// axi_writer.v - AXI4 burst writer: beats collect in a FIFO and leave in whole bursts
//
//      in -> [FIFO, 2**FIFO_BITS beats] -> W        command -> [burst cutter] -> AW        B -> done_beats
//
// FIFO_BITS   log2 of the FIFO's depth in beats of 16 bytes; at least 4, for one burst
//
// A burst is started when all its beats are in the FIFO: 16, or up to the next 4 KiB boundary, or what
// the command still lacks. `cut` says that no more beats will come: what is in the FIFO then leaves, and
// the command is over. One burst is outstanding at a time. After an error none is started any more; what
// is or comes into the FIFO stays there until the next command.
//
// A command that continues is accepted when the one before has no beat left; it finds the FIFO and
// done_beats as that one left them. Beats may come before it.
//
// Times, in clock edges: a burst decided at d has its AW handshake at d+1, its beats at d+2 onwards, and
// the next one can be decided at the edge at which its B is taken.
`default_nettype none

module axi_writer #(
    parameter FIFO_BITS = 5
) (
    input  wire         clk,
    input  wire         rst,

    // command; accepted while not busy, and empties the FIFO unless it continues
    input  wire         cmd_valid,
    output wire         cmd_ready,
    input  wire [31:0]  cmd_address,   // multiple of 16
    input  wire [31:0]  cmd_beats,     // not 0
    input  wire         cmd_continue,  // at the next address, the beats follow those of the command before
    input  wire         cut,           // no more beats will come for this command
    input  wire         abandon,       // start no further burst and forget the command

    // status of the command
    output wire         busy,          // a burst is outstanding
    output wire         finished,      // nothing more will be written
    output wire         empty,         // the FIFO is
    output reg          fault,         // a burst was answered with an error
    output reg          fault_decode,  // its response was DECERR, else SLVERR
    output reg  [31:0]  fault_address, // its first address
    output reg  [31:0]  done_beats,    // beats of bursts answered with OKAY, since a command did not continue

    // beats
    input  wire         in_valid,
    output wire         in_ready,
    input  wire [127:0] in_data,
    output wire         freed,         // a beat leaves the FIFO at this edge

    // AXI4 write channels
    output wire         m_axi_awvalid,
    input  wire         m_axi_awready,
    output wire [31:0]  m_axi_awaddr,
    output wire [7:0]   m_axi_awlen,
    output wire         m_axi_wvalid,
    input  wire         m_axi_wready,
    output reg  [127:0] m_axi_wdata,
    output reg          m_axi_wlast,
    input  wire         m_axi_bvalid,
    output wire         m_axi_bready,
    input  wire [1:0]   m_axi_bresp
);
    localparam [FIFO_BITS:0] DEPTH      = 1 << FIFO_BITS;
    localparam [8:0]         PAGE_BEATS = 9'd256;
    localparam [4:0]         MAX_BURST  = 5'd16;

    localparam [1:0] BURST_NONE    = 2'd0;
    localparam [1:0] BURST_ADDRESS = 2'd1;
    localparam [1:0] BURST_DATA    = 2'd2;
    localparam [1:0] BURST_ANSWER  = 2'd3;

    reg [1:0]         state_reg;
    reg [31:0]        address_reg;      // of the burst that is outstanding, else of the next one
    reg [31:0]        left_reg;         // beats of the command not in any burst yet
    reg [4:0]         burst_reg;        // beats of the burst that is outstanding
    reg [4:0]         to_load_reg;      // of these, still in the FIFO

    reg [127:0]       fifo [0:(1 << FIFO_BITS)-1];
    reg [FIFO_BITS:0] level_reg;
    reg [FIFO_BITS-1:0] write_reg;
    reg [FIFO_BITS-1:0] read_reg;

    wire accept   = cmd_valid && cmd_ready;
    wire push     = in_valid && in_ready;
    wire answered = m_axi_bvalid && m_axi_bready;
    wire failed   = answered && m_axi_bresp[1];
    wire load     = (state_reg == BURST_ADDRESS && m_axi_awready)
                    || (state_reg == BURST_DATA && m_axi_wready && to_load_reg != 5'd0);

    // -- the next burst -------------------------------------------------------------------------
    wire [31:0] after_burst  = address_reg + {23'd0, burst_reg, 4'd0};
    wire [7:0]  page_beat    = answered ? after_burst[11:4] : address_reg[11:4];
    wire [8:0]  to_page_end  = PAGE_BEATS - {1'b0, page_beat};
    wire [4:0]  within_page  = to_page_end < {4'd0, MAX_BURST} ? to_page_end[4:0] : MAX_BURST;
    wire [31:0] level        = {{31-FIFO_BITS{1'b0}}, level_reg};
    wire [31:0] to_come      = cut && level < left_reg ? level : left_reg;
    wire [4:0]  burst        = to_come < {27'd0, within_page} ? to_come[4:0] : within_page;
    wire        decide       = (state_reg == BURST_NONE || answered) && left_reg != 0 && burst != 5'd0
                               && level_reg >= {{FIFO_BITS-4{1'b0}}, burst} && !failed && !abandon;

    assign busy          = state_reg != BURST_NONE;
    assign finished      = !busy && (left_reg == 0 || (cut && empty));
    assign empty         = level_reg == 0;
    assign cmd_ready     = !busy && (left_reg == 0 || !cmd_continue);
    assign in_ready      = level_reg != DEPTH;
    assign freed         = load;
    assign m_axi_awvalid = state_reg == BURST_ADDRESS;
    assign m_axi_awaddr  = address_reg;
    assign m_axi_awlen   = {3'd0, burst_reg} - 8'd1;
    assign m_axi_wvalid  = state_reg == BURST_DATA;
    assign m_axi_bready  = state_reg == BURST_ANSWER;

    always @(posedge clk) begin
        case (state_reg)
            BURST_NONE: ;
            BURST_ADDRESS:
                if (m_axi_awready)
                    state_reg <= BURST_DATA;
            BURST_DATA:
                if (m_axi_wready && m_axi_wlast)
                    state_reg <= BURST_ANSWER;
            BURST_ANSWER:
                if (m_axi_bvalid) begin
                    state_reg   <= BURST_NONE;
                    address_reg <= after_burst;
                    if (!failed)
                        done_beats <= done_beats + {27'd0, burst_reg};
                    else begin
                        fault         <= 1'b1;
                        fault_decode  <= m_axi_bresp[0];
                        fault_address <= address_reg;
                        left_reg      <= 32'd0;
                    end
                end
        endcase
        if (decide) begin
            state_reg   <= BURST_ADDRESS;
            burst_reg   <= burst;
            to_load_reg <= burst;
            left_reg    <= left_reg - {27'd0, burst};
        end
        if (load) begin
            m_axi_wdata <= fifo[read_reg];
            m_axi_wlast <= to_load_reg == 5'd1;
            to_load_reg <= to_load_reg - 5'd1;
            read_reg    <= read_reg + 1'b1;
        end
        if (push) begin
            fifo[write_reg] <= in_data;
            write_reg       <= write_reg + 1'b1;
        end
        if (push != load)
            level_reg <= push ? level_reg + 1'b1 : level_reg - 1'b1;
        if (abandon)
            left_reg <= 32'd0;

        if (accept) begin
            address_reg <= cmd_address;
            left_reg    <= cmd_beats;
            if (!cmd_continue) begin
                level_reg  <= 0;
                write_reg  <= 0;
                read_reg   <= 0;
                fault      <= 1'b0;
                done_beats <= 32'd0;
            end
        end
        if (rst) begin
            state_reg <= BURST_NONE;
            left_reg  <= 32'd0;
            level_reg <= 0;
            fault     <= 1'b0;
        end
    end
endmodule
`default_nettype wire
