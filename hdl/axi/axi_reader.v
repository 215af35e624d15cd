// axi_reader.v - AXI4 burst reader: one command is a run of beats, delivered in groups through a FIFO
//
//      command -> [burst cutter] -> AR        R -> [FIFO, 2**FIFO_BITS beats] -> out
//
// FIFO_BITS   log2 of the FIFO's depth in beats of 16 bytes; at least 4, for one burst. 5 lets two
//             bursts be outstanding.
// BEATS_BITS  width of the command's length
//
// A burst has up to 16 beats, ends at a 4 KiB boundary at the latest, and otherwise at the end of a
// group. Its space in the FIFO is reserved before AR, so rready never waits. The beats of a group
// become visible at `out` together, when the last of them has arrived without an error; after an error
// none does, no further burst is requested, and what is outstanding drains.
//
// A command that continues finds the FIFO as the one before left it; that one must have ended without an
// error, and with whole groups.
//
// Times, in clock edges: command accepted at c, arvalid from c+1 on, first AR handshake at c+2. The
// next burst follows one edge after the last one when at most one other is outstanding and the FIFO has
// room. A beat taken at edge r can be taken from `out` at r+1.
`default_nettype none

module axi_reader #(
    parameter FIFO_BITS  = 5,
    parameter BEATS_BITS = 33
) (
    input  wire                  clk,
    input  wire                  rst,

    // command; accepted while not busy, and empties the FIFO unless it continues
    input  wire                  cmd_valid,
    output wire                  cmd_ready,
    input  wire [31:0]           cmd_address,  // multiple of 16
    input  wire [BEATS_BITS-1:0] cmd_beats,    // not 0
    input  wire [4:0]            cmd_group,    // beats of a group: 1, 2, 4, 8 or 16, or cmd_beats if that is at most 16
    input  wire                  cmd_continue, // the beats follow those of the command before
    input  wire                  halt,         // request no further burst for this command

    // status of the command
    output wire                  busy,          // bursts are outstanding or still to be requested
    output reg                   fault,         // a beat came with an error
    output reg                   fault_decode,  // its response was DECERR, else SLVERR
    output reg  [31:0]           fault_address, // its address

    // committed beats
    output wire                  out_valid,
    input  wire                  out_ready,
    output wire [127:0]          out_data,

    // AXI4 read channels
    output reg                   m_axi_arvalid,
    input  wire                  m_axi_arready,
    output reg  [31:0]           m_axi_araddr,
    output reg  [7:0]            m_axi_arlen,
    input  wire                  m_axi_rvalid,
    output wire                  m_axi_rready,
    input  wire [127:0]          m_axi_rdata,
    input  wire [1:0]            m_axi_rresp,
    input  wire                  m_axi_rlast
);
    localparam [FIFO_BITS:0] DEPTH           = 1 << FIFO_BITS;
    localparam [1:0]         MAX_OUTSTANDING = 2'd2;
    localparam [8:0]         PAGE_BEATS      = 9'd256;
    localparam [4:0]         MAX_BURST       = 5'd16;

    // -- requests -------------------------------------------------------------------------------
    reg [31:0]           address_reg;     // of the next burst
    reg [BEATS_BITS-1:0] left_reg;        // beats not requested yet
    reg [3:0]            phase_reg;       // beats already requested of the current group
    reg [3:0]            phase_mask_reg;  // group - 1
    reg [1:0]            outstanding_reg; // bursts from arvalid to RLAST
    reg [FIFO_BITS:0]    reserved_reg;    // beats from arvalid until taken from the FIFO

    wire [4:0]         to_group_end = MAX_BURST - {1'b0, phase_reg};
    wire [8:0]         to_page_end  = PAGE_BEATS - {1'b0, address_reg[11:4]};
    wire [4:0]         within_page  = to_page_end < {4'd0, to_group_end} ? to_page_end[4:0] : to_group_end;
    wire               last_burst   = left_reg <= {{BEATS_BITS-5{1'b0}}, within_page};
    wire [4:0]         burst        = last_burst ? left_reg[4:0] : within_page;
    wire [FIFO_BITS:0] with_burst   = reserved_reg + {{FIFO_BITS-4{1'b0}}, burst};

    wire issue = left_reg != 0 && !halt && outstanding_reg < MAX_OUTSTANDING && with_burst <= DEPTH
                 && (!m_axi_arvalid || m_axi_arready);

    // -- the FIFO -------------------------------------------------------------------------------
    reg [127:0]       fifo [0:(1 << FIFO_BITS)-1];
    reg [FIFO_BITS:0] write_reg;    // pointers have one bit more than an index
    reg [FIFO_BITS:0] commit_reg;
    reg [FIFO_BITS:0] read_reg;
    reg [4:0]         group_reg;
    reg [4:0]         group_left_reg;
    reg [31:0]        beat_address_reg;

    wire beat   = m_axi_rvalid && m_axi_rready;
    wire taken  = out_valid && out_ready;
    wire accept = cmd_valid && cmd_ready;

    assign m_axi_rready = outstanding_reg != 0;
    assign busy         = outstanding_reg != 0 || left_reg != 0;
    assign cmd_ready    = !busy;
    assign out_valid    = read_reg != commit_reg;
    assign out_data     = fifo[read_reg[FIFO_BITS-1:0]];

    always @(posedge clk) begin
        if (m_axi_arready)
            m_axi_arvalid <= 1'b0;
        if (issue) begin
            m_axi_arvalid <= 1'b1;
            m_axi_araddr  <= address_reg;
            m_axi_arlen   <= {3'd0, burst} - 8'd1;
            address_reg   <= address_reg + {23'd0, burst, 4'd0};
            left_reg      <= left_reg - {{BEATS_BITS-5{1'b0}}, burst};
            phase_reg     <= (phase_reg + burst[3:0]) & phase_mask_reg;
        end
        if (issue || taken)
            reserved_reg <= (issue ? with_burst : reserved_reg) - {{FIFO_BITS{1'b0}}, taken};
        if (issue != (beat && m_axi_rlast))
            outstanding_reg <= issue ? outstanding_reg + 2'd1 : outstanding_reg - 2'd1;
        if (taken)
            read_reg <= read_reg + 1'b1;

        if (beat) begin
            fifo[write_reg[FIFO_BITS-1:0]] <= m_axi_rdata;
            write_reg        <= write_reg + 1'b1;
            beat_address_reg <= beat_address_reg + 32'd16;
            group_left_reg   <= group_left_reg == 5'd1 ? group_reg : group_left_reg - 5'd1;
            if (m_axi_rresp[1] && !fault) begin
                fault         <= 1'b1;
                fault_decode  <= m_axi_rresp[0];
                fault_address <= beat_address_reg;
                left_reg      <= 0;
            end else if (group_left_reg == 5'd1 && !fault)
                commit_reg <= write_reg + 1'b1;
        end
        if (halt)
            left_reg <= 0;

        if (accept) begin
            address_reg      <= cmd_address;
            beat_address_reg <= cmd_address;
            left_reg         <= cmd_beats;
            group_reg        <= cmd_group;
            group_left_reg   <= cmd_group;
            phase_mask_reg   <= cmd_group[3:0] - 4'd1;
            phase_reg        <= 4'd0;
            if (!cmd_continue) begin
                reserved_reg <= 0;
                write_reg    <= 0;
                commit_reg   <= 0;
                read_reg     <= 0;
                fault        <= 1'b0;
            end
        end
        if (rst) begin
            m_axi_arvalid   <= 1'b0;
            left_reg        <= 0;
            outstanding_reg <= 2'd0;
            reserved_reg    <= 0;
            commit_reg      <= 0;
            read_reg        <= 0;
            fault           <= 1'b0;
        end
    end
endmodule
`default_nettype wire
