// qce_control.v - the course of one request: check, start, look at the lists, run, report
//
//      IDLE -> CHECK -> START -> [WAIT_LISTS] -> LISTS -> RUN -> IDLE
//      START -> WAIT_LENGTH    LISTS -> WAIT_SOURCE, WAIT_DESTINATION    RUN -> WAIT_UNIT, WAIT_BLOCK
//      soft reset, from anywhere -> DRAIN -> IDLE
//
// Edges from GO (edge g): CHECK is left at g + 1, START at g + 2 + wait_cycles. WAIT_LISTS is left one edge
// after the one that arms the second list. LISTS, entered at L, is left at L + 1 + the number of descriptors
// that were looked at in the longer of the two walks. RUN, entered at R: the first command for the reader
// and the first for the writer are taken at R + 1 (later by one for each empty descriptor before it); no
// block enters the core before the writer has its first. A further command for the reader is taken when
// that is not busy: at the edge after RLAST at the earliest; one for the writer likewise, after the last B.
// The key is offered from g + 2 on, until the core takes it: when it has expanded the one before.
//
// The end, and WAIT_UNIT and WAIT_BLOCK: one edge after the last B; after a read error when reader, core and
// writer have nothing left, after a write error when nothing is outstanding or in the core. What the
// condition says is as it was before that edge. `cycles` counts edges from g to the end.
//
// DRAIN is entered at the edge of the write of SOFT_RESET and left at the first edge after it at which reader
// and writer are idle.
`default_nettype none

module qce_control (
    input  wire        clk,
    input  wire        rst,
    input  wire        soft_reset,
    output wire        draining,
    output wire        drained,             // at this edge

    // the request
    input  wire        go,
    input  wire        bad,
    input  wire        nothing,
    input  wire        hang,
    input  wire        hang_in_unit,
    input  wire        zero_length_hang,    // quirk
    input  wire [15:0] wait_cycles,         // strap, 0 without the quirk
    output wire        busy,
    output wire [3:0]  state,               // crypto_state
    output wire        report,
    output reg  [16:0] report_status,
    output reg         fault,
    output reg  [1:0]  fault_kind,
    output reg  [1:0]  fault_access,
    output reg  [31:0] fault_address,
    output reg  [31:0] cycles,
    output reg         key_valid,
    input  wire        key_ready,

    // the lists
    input  wire        fetching,
    output wire        walk_start,
    output wire        walk_all,            // checking; else those that will be done
    output wire        check,
    output wire        unlock,
    input  wire        source_armed,
    input  wire        source_over,
    input  wire        source_misaligned,
    input  wire [31:0] source_misaligned_address,
    input  wire        source_short,
    input  wire        source_unlock,
    input  wire        destination_armed,
    input  wire        destination_over,
    input  wire        destination_covered,
    input  wire        destination_misaligned,
    input  wire [31:0] destination_misaligned_address,
    input  wire        destination_short,
    input  wire        destination_unlock,

    // the data
    output wire        run_start,           // RUN is entered at this edge
    output wire        running,
    output wire        read_open,           // commands of the source may go out
    output wire        read_stop,
    output wire        write_open,          // likewise, of the destination
    output reg         write_started,       // the first one has been taken
    input  wire        write_taken,
    output wire        write_cut,
    output wire        write_stop,
    input  wire        core_empty,
    input  wire        read_busy,
    input  wire        read_pending,        // beats wait behind the reader
    input  wire        read_fault,
    input  wire        read_fault_decode,
    input  wire [31:0] read_fault_address,
    input  wire        write_busy,
    input  wire        write_empty,         // no beat waits before the writer
    input  wire        write_finished,
    input  wire        write_fault,
    input  wire        write_fault_decode,
    input  wire [31:0] write_fault_address
);
    /* verilator lint_off UNUSEDPARAM */ // each module uses its part of the map
    `include "qce_registers.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [16:0] SUCCESS     = 17'd1 << STATUS_OPERATION_DONE_BIT | 17'd1 << STATUS_OP_DONE_INTR_BIT;
    localparam [16:0] BAD_SETUP   = 17'd1 << STATUS_SW_ERR_BIT | 17'd1 << STATUS_ERR_INTR_BIT;
    localparam [16:0] BUS_ERROR   = 17'd1 << STATUS_AXI_ERR_BIT | 17'd1 << STATUS_ERR_INTR_BIT;
    localparam [16:0] READ_ERROR  = BUS_ERROR | 17'd1 << STATUS_DIN_ERR_BIT;
    localparam [16:0] WRITE_ERROR = BUS_ERROR | 17'd1 << STATUS_DOUT_ERR_BIT;

    reg [3:0]  state_reg, state_next;
    reg [15:0] wait_left_reg;
    reg        finish;

    // -- the data. What the reader says is of this request: the lists before it were read without an error. What
    // the writer says is so from its first command on
    wire write_failed = running && write_started && write_fault;
    wire read_failed  = running && read_fault;
    wire written      = destination_covered && write_finished;
    wire write_end    = !read_busy && core_empty && !write_busy;
    wire read_end     = write_end && !read_pending && write_started && write_empty;
    wire run_end      = write_failed ? write_end : read_failed ? read_end : written;

    wire both_armed = source_armed && destination_armed;

    always @* begin
        state_next    = state_reg;
        finish        = 1'b0;
        report_status = SUCCESS;
        fault         = 1'b0;
        fault_kind    = FAULT_KIND_ALIGNMENT;
        fault_access  = FAULT_ACCESS_SOURCE;
        fault_address = source_misaligned_address;
        case (state_reg)
            STATE_IDLE:
                if (go)
                    state_next = STATE_CHECK;
            STATE_CHECK: begin
                report_status = BAD_SETUP;
                finish        = bad;
                state_next    = STATE_START;
            end
            STATE_START:
                if (wait_left_reg == 16'd0)
                    state_next = nothing && zero_length_hang ? STATE_WAIT_LENGTH
                                 : both_armed ? STATE_LISTS : STATE_WAIT_LISTS;
            STATE_WAIT_LISTS:
                if (both_armed)
                    state_next = STATE_LISTS;
            STATE_LISTS:
                if (source_over && destination_over) begin
                    report_status = BAD_SETUP;
                    finish        = source_misaligned || destination_misaligned;
                    fault         = finish;
                    if (!source_misaligned) begin
                        fault_access  = FAULT_ACCESS_DESTINATION;
                        fault_address = destination_misaligned_address;
                    end
                    state_next = source_short ? STATE_WAIT_SOURCE
                                 : destination_short ? STATE_WAIT_DESTINATION : STATE_RUN;
                end
            STATE_RUN:
                if (run_end) begin
                    finish     = write_failed || read_failed || !hang;
                    fault      = write_failed || read_failed;
                    state_next = hang_in_unit ? STATE_WAIT_UNIT : STATE_WAIT_BLOCK;
                    if (write_failed) begin
                        report_status = WRITE_ERROR;
                        fault_kind    = write_fault_decode ? FAULT_KIND_BUS : FAULT_KIND_PAGE;
                        fault_access  = FAULT_ACCESS_DESTINATION;
                        fault_address = write_fault_address;
                    end else if (read_failed) begin
                        report_status = READ_ERROR;
                        fault_kind    = read_fault_decode ? FAULT_KIND_BUS : FAULT_KIND_PAGE;
                        fault_address = read_fault_address;
                    end
                end
            STATE_DRAIN:
                if (drained)
                    state_next = STATE_IDLE;
            default: ;   // waiting for ever
        endcase
        if (finish)
            state_next = STATE_IDLE;
        if (soft_reset)
            state_next = STATE_DRAIN;
    end

    assign draining = state_reg == STATE_DRAIN;
    assign drained  = draining && !read_busy && !write_busy;
    assign running  = state_reg == STATE_RUN;
    assign busy     = state_reg != STATE_IDLE && !draining;
    assign state    = fetching && !busy ? STATE_FETCH : state_reg;
    assign report   = finish && !soft_reset;

    assign check         = state_reg == STATE_LISTS;
    assign run_start     = check && state_next == STATE_RUN;
    assign walk_all      = !check;
    assign walk_start    = run_start || (!check && state_next == STATE_LISTS);
    assign unlock        = run_start && (source_unlock || destination_unlock);

    assign read_open     = running && !read_failed && !write_failed;
    assign read_stop     = draining || write_failed;
    assign write_open    = running && !write_failed && !run_end;
    assign write_cut     = read_failed && !read_pending && core_empty;
    assign write_stop    = draining || report;

    always @(posedge clk) begin
        state_reg <= state_next;
        if (go) begin
            cycles        <= 32'd0;
            wait_left_reg <= wait_cycles;
        end else if (busy)
            cycles <= cycles + 32'd1;
        if (state_reg == STATE_START)
            wait_left_reg <= wait_left_reg - 16'd1;
        if (key_ready)
            key_valid <= 1'b0;
        if (state_reg == STATE_CHECK && !finish)
            key_valid <= 1'b1;
        if (write_taken)
            write_started <= 1'b1;
        if (go)
            write_started <= 1'b0;
        if (rst || soft_reset) begin
            cycles        <= 32'd0;
            key_valid     <= 1'b0;
            write_started <= 1'b0;
        end
        if (rst)
            state_reg <= STATE_IDLE;
    end
endmodule
`default_nettype wire
