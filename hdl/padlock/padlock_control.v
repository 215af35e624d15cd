// padlock_control.v - the course of one request: check, set up, load the key, run, report
//
//      IDLE -> CHECK -> SETUP -> [WORD -> DECODE -> KEY -> HAND_OVER] -> RUN -> DONE
//                                                    schedule: KEY -> RUN
//      soft_rst, from anywhere -> DRAIN -> IDLE
//
// Edges from acceptance (edge 0): CHECK is left at 1, SETUP at setup_cycles + 2. In WORD, KEY and RUN a
// command goes out at the first edge. An interrupt is remembered at the edge at which it is sampled; what
// is decided at that edge or earlier goes ahead. The beats of a schedule go to the core as they come, in KEY;
// the key is in force when all of them, over-read ones included, have come without an error. A schedule
// that does not get so far is abandoned: the core drops what it has of it.
`default_nettype none

module padlock_control (
    input  wire        clk,
    input  wire        rst,
    input  wire        soft_rst,

    // straps
    input  wire        sticky_key,        // quirk: load only when key_loaded is clear
    input  wire        irq_forgets_key,   // quirk: an interrupted request clears key_loaded
    input  wire [3:0]  group,             // blocks of a fetch group
    input  wire [15:0] setup_cycles,

    // the instruction
    input  wire        xcrypt_valid,
    output wire        xcrypt_ready,
    input  wire [31:0] xcrypt_cword,
    input  wire [31:0] xcrypt_key,
    input  wire [31:0] xcrypt_src,
    input  wire [31:0] xcrypt_dst,
    input  wire [31:0] xcrypt_count,
    output wire        done_valid,
    input  wire        done_ready,
    output reg  [2:0]  done_status,
    output reg  [31:0] done_src,
    output reg  [31:0] done_dst,
    output reg  [31:0] done_count,
    output reg  [31:0] done_address,
    output reg  [31:0] done_cycles,
    input  wire        irq,

    // key cache
    input  wire        key_loaded,
    input  wire        bad_word,
    input  wire [4:0]  key_beats,
    input  wire        keygen,            // the key is a schedule
    output wire        take_word,
    output wire        hand_over,
    input  wire        handed_over,       // a raw key
    output wire        key_complete,      // the key is in force from this edge on
    output wire        abandon,           // the core drops a schedule
    output wire        forget,

    // reader
    output wire        read_valid,
    output reg  [31:0] read_address,
    output reg  [32:0] read_beats,
    output reg  [4:0]  read_group,
    output wire        read_halt,
    input  wire        read_busy,
    input  wire        read_pending,      // committed beats wait
    input  wire        read_fault,
    input  wire        read_fault_decode,
    input  wire [31:0] read_fault_address,

    // core and writer
    output wire        run_start,
    output wire        run_open,          // blocks may enter the core
    output wire        run_close,
    output wire [31:0] run_dst,
    output wire [31:0] run_count,
    input  wire        core_empty,
    output wire        write_cut,
    input  wire        write_busy,
    input  wire        write_finished,
    input  wire        write_fault,
    input  wire        write_fault_decode,
    input  wire [31:0] write_fault_address,
    input  wire [31:0] write_done
);
    `include "padlock_status.vh"

    localparam [3:0] IDLE      = 4'd0;
    localparam [3:0] CHECK     = 4'd1;
    localparam [3:0] SETUP     = 4'd2;
    localparam [3:0] WORD      = 4'd3;
    localparam [3:0] DECODE    = 4'd4;
    localparam [3:0] KEY       = 4'd5;
    localparam [3:0] HAND_OVER = 4'd6;
    localparam [3:0] RUN       = 4'd7;
    localparam [3:0] DONE      = 4'd8;
    localparam [3:0] DRAIN     = 4'd9;

    reg [3:0]  state_reg, state_next;
    reg        command_reg, command_next;   // a command goes out at this edge
    reg        stop_reg;                    // interrupted
    reg        load_reg;                    // the key is loaded for this request
    reg [15:0] setup_left_reg;
    reg [31:0] cword_reg, key_reg, src_reg, dst_reg, count_reg;
    reg [31:0] cycles_reg;                  // what done_cycles would be if it ended at this edge

    reg        finish;
    reg [2:0]  status;

    wire accept = xcrypt_valid && xcrypt_ready;
    wire settled = !command_reg && !read_busy;   // the reader has ended its command

    // -- pointers: in this order the first one that is not aligned is reported ------------------------
    wire cword_odd  = load_reg && cword_reg[3:0] != 4'd0;
    wire key_odd    = load_reg && key_reg[3:0] != 4'd0;
    wire src_odd    = src_reg[3:0] != 4'd0;
    wire dst_odd    = dst_reg[3:0] != 4'd0;
    wire misaligned = cword_odd || key_odd || src_odd || dst_odd;
    wire [31:0] odd_pointer = cword_odd ? cword_reg : key_odd ? key_reg : src_odd ? src_reg : dst_reg;

    // -- the course -----------------------------------------------------------------------------------
    wire [2:0] read_status  = read_fault_decode ? STATUS_READ_BUS_FAULT : STATUS_READ_PAGE_FAULT;
    wire [2:0] write_status = write_fault_decode ? STATUS_WRITE_BUS_FAULT : STATUS_WRITE_PAGE_FAULT;

    always @* begin
        state_next   = state_reg;
        command_next = 1'b0;
        finish       = 1'b0;
        status       = STATUS_OK;
        case (state_reg)
            IDLE:
                if (accept)
                    state_next = CHECK;
            CHECK:
                if (count_reg == 32'd0)
                    finish = 1'b1;
                else if (misaligned) begin
                    finish = 1'b1;
                    status = STATUS_ALIGN_FAULT;
                end else
                    state_next = SETUP;
            SETUP:
                if (stop_reg) begin
                    finish = 1'b1;
                    status = STATUS_INTERRUPTED;
                end else if (setup_left_reg == 16'd0) begin
                    state_next   = load_reg ? WORD : RUN;
                    command_next = 1'b1;
                end
            WORD, KEY:
                if (settled) begin
                    if (read_fault || stop_reg) begin
                        finish = 1'b1;
                        status = read_fault ? read_status : STATUS_INTERRUPTED;
                    end else begin
                        state_next   = state_reg == WORD ? DECODE : keygen ? RUN : HAND_OVER;
                        command_next = state_reg == KEY && keygen;
                    end
                end
            DECODE:
                if (bad_word || stop_reg) begin
                    finish = 1'b1;
                    status = bad_word ? STATUS_BAD_CONTROL_WORD : STATUS_INTERRUPTED;
                end else begin
                    state_next   = KEY;
                    command_next = 1'b1;
                end
            HAND_OVER:
                if (handed_over) begin
                    state_next   = RUN;
                    command_next = 1'b1;
                end
            RUN:
                if (settled && core_empty && (write_finished || write_fault)) begin
                    finish = 1'b1;
                    status = write_fault ? write_status
                             : read_fault && !read_pending ? read_status
                             : write_done != count_reg ? STATUS_INTERRUPTED : STATUS_OK;
                end
            DONE:
                if (done_ready)
                    state_next = accept ? CHECK : IDLE;
            DRAIN:
                if (!read_busy && !write_busy)
                    state_next = IDLE;
            default:
                state_next = IDLE;
        endcase
        if (finish)
            state_next = DONE;
        if (soft_rst) begin
            state_next   = DRAIN;
            command_next = 1'b0;
        end
    end

    assign xcrypt_ready = !soft_rst && (state_reg == IDLE || (state_reg == DONE && done_ready));
    assign done_valid   = state_reg == DONE;

    assign take_word    = state_reg == WORD && settled && read_pending;
    assign hand_over    = state_reg == HAND_OVER || (state_reg == KEY && keygen && !command_reg);
    assign key_complete = handed_over || (state_reg == KEY && state_next == RUN);
    assign abandon      = state_reg == KEY && finish;
    assign forget     = (finish && status == STATUS_INTERRUPTED && irq_forgets_key)
                        || (command_next && state_next == WORD);   // no key is in force until the load is complete
    assign read_valid = command_reg && !soft_rst;
    assign read_halt  = soft_rst || stop_reg || (state_reg == RUN && write_fault);
    assign run_start  = read_valid && state_reg == RUN;
    assign run_open   = state_reg == RUN && !command_reg;
    assign run_close  = stop_reg || write_fault;
    assign run_dst    = dst_reg;
    assign run_count  = count_reg;
    assign write_cut  = core_empty && (stop_reg || (read_fault && !read_pending));

    wire [32:0] group_mask = {29'd0, group - 4'd1};

    always @(posedge clk) begin
        state_reg   <= state_next;
        command_reg <= command_next;
        if (accept) begin
            cword_reg      <= xcrypt_cword;
            key_reg        <= xcrypt_key;
            src_reg        <= xcrypt_src;
            dst_reg        <= xcrypt_dst;
            count_reg      <= xcrypt_count;
            load_reg       <= !(sticky_key && key_loaded);
            setup_left_reg <= setup_cycles;
            stop_reg       <= 1'b0;
            cycles_reg     <= 32'd1;
        end else if (state_reg != IDLE && state_reg != DONE) begin
            cycles_reg <= cycles_reg + 32'd1;
            if (irq)
                stop_reg <= 1'b1;
            if (state_reg == SETUP)
                setup_left_reg <= setup_left_reg - 16'd1;
        end
        if (command_next)
            case (state_next)
                WORD: begin
                    read_address <= cword_reg;
                    read_beats   <= 33'd1;
                    read_group   <= 5'd1;
                end
                KEY: begin
                    read_address <= key_reg;
                    read_beats   <= {28'd0, key_beats};
                    read_group   <= keygen ? 5'd1 : key_beats;
                end
                default: begin
                    read_address <= src_reg;
                    read_beats   <= ({1'b0, count_reg} + group_mask) & ~group_mask;
                    read_group   <= {1'b0, group};
                end
            endcase
        if (finish) begin
            done_status  <= status;
            done_cycles  <= cycles_reg;
            done_src     <= src_reg;
            done_dst     <= dst_reg;
            done_count   <= count_reg;
            done_address <= 32'd0;
            case (status)
                STATUS_BAD_CONTROL_WORD: done_address <= cword_reg;
                STATUS_ALIGN_FAULT:      done_address <= odd_pointer;
                STATUS_READ_PAGE_FAULT,
                STATUS_READ_BUS_FAULT:   done_address <= read_fault_address;
                STATUS_WRITE_PAGE_FAULT,
                STATUS_WRITE_BUS_FAULT:  done_address <= write_fault_address;
                default: ;
            endcase
            if (state_reg == RUN) begin
                done_src   <= src_reg + {write_done[27:0], 4'd0};
                done_dst   <= dst_reg + {write_done[27:0], 4'd0};
                done_count <= count_reg - write_done;
            end
        end
        if (rst) begin
            state_reg   <= IDLE;
            command_reg <= 1'b0;
            stop_reg    <= 1'b0;
        end
    end
endmodule
`default_nettype wire
