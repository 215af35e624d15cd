// qce.v - the QCE personality: registers, descriptor lists in memory, AES-ECB, a result dump
//
//      s_axil -> [front] -- doorbells --> [lists] -- commands --> [data]    R -> reader -> aes_ecb -> writer -> W
//                 |   \-- GO ----> [control] -/
//                 \-> [setup] -------/
//
// STAGES      rounds in flight in the core, see aes_ecb
//
// Quirks 6 to 13 of quirks.vh are straps; quirk 4, the alignment, is a limit of the bus. Straps are sampled
// while rst is high and during a soft reset, which is a write of SOFT_RESET: it abandons the request, lets
// the bus drain and gives all registers their reset values. rst is for power-on only: it forgets
// outstanding bus transactions. The map is in qce.rdl, the times are in qce_control, qce_fetch and axil_slave.
`default_nettype none

module qce #(
    parameter STAGES = 1
) (
    input  wire         clk,
    input  wire         rst,

    // straps
    input  wire [15:0]  quirk,
    input  wire [15:0]  slow_start_cycles,

    // registers: AXI4-Lite slave; AWPROT[1] is the master, AWPROT[0] makes a write of SOFT_RESET pass the lock
    input  wire [15:0]  s_axil_awaddr,
    input  wire [2:0]   s_axil_awprot,
    input  wire         s_axil_awvalid,
    output wire         s_axil_awready,
    input  wire [31:0]  s_axil_wdata,
    input  wire [3:0]   s_axil_wstrb,
    input  wire         s_axil_wvalid,
    output wire         s_axil_wready,
    output wire [1:0]   s_axil_bresp,
    output wire         s_axil_bvalid,
    input  wire         s_axil_bready,
    input  wire [15:0]  s_axil_araddr,
    input  wire [2:0]   s_axil_arprot,
    input  wire         s_axil_arvalid,
    output wire         s_axil_arready,
    output wire [31:0]  s_axil_rdata,
    output wire [1:0]   s_axil_rresp,
    output wire         s_axil_rvalid,
    input  wire         s_axil_rready,

    output wire         irq,                // a level
    output wire         busy,               // with a request, a list or a soft reset

    // AXI4 master
    output wire         m_axi_arid,
    output wire [31:0]  m_axi_araddr,
    output wire [7:0]   m_axi_arlen,
    output wire [2:0]   m_axi_arsize,
    output wire [1:0]   m_axi_arburst,
    output wire         m_axi_arlock,
    output wire [3:0]   m_axi_arcache,
    output wire [2:0]   m_axi_arprot,
    output wire         m_axi_arvalid,
    input  wire         m_axi_arready,
    input  wire         m_axi_rid,
    input  wire [127:0] m_axi_rdata,
    input  wire [1:0]   m_axi_rresp,
    input  wire         m_axi_rlast,
    input  wire         m_axi_rvalid,
    output wire         m_axi_rready,
    output wire         m_axi_awid,
    output wire [31:0]  m_axi_awaddr,
    output wire [7:0]   m_axi_awlen,
    output wire [2:0]   m_axi_awsize,
    output wire [1:0]   m_axi_awburst,
    output wire         m_axi_awlock,
    output wire [3:0]   m_axi_awcache,
    output wire [2:0]   m_axi_awprot,
    output wire         m_axi_awvalid,
    input  wire         m_axi_awready,
    output wire [127:0] m_axi_wdata,
    output wire [15:0]  m_axi_wstrb,
    output wire         m_axi_wlast,
    output wire         m_axi_wvalid,
    input  wire         m_axi_wready,
    input  wire         m_axi_bid,
    input  wire [1:0]   m_axi_bresp,
    input  wire         m_axi_bvalid,
    output wire         m_axi_bready
);
    /* verilator lint_off UNUSEDPARAM */ // the list is shared; each engine looks at its own quirks
    `include "quirks.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [2:0] SIZE_16_BYTES = 3'd4;
    localparam [1:0] BURST_INCR    = 2'd1;
    localparam [3:0] CACHE_NORMAL  = 4'b0011;   // normal, non-cacheable, bufferable
    localparam [2:0] PROT_DATA     = 3'b000;

    // -- straps -----------------------------------------------------------------------------------
    wire       draining, drained;
    reg [15:0] quirk_reg;
    reg [15:0] wait_reg;

    always @(posedge clk)
        if (rst || draining) begin
            quirk_reg <= quirk;
            wait_reg  <= quirk[QUIRK_SLOW_START] ? slow_start_cycles : 16'd0;
        end

    // -- registers ----------------------------------------------------------------------------------
    wire         soft_reset, go, doorbell, doorbell_list, results_dump, locked;
    wire [10:0]  config_word;
    wire [31:0]  seg_size, encr_size, encr_start, source_address, destination_address, cycles;
    wire [127:0] counters;
    wire [255:0] key;
    wire [6:0]   source_length, destination_length, source_current, destination_current;
    wire         engine_busy, source_armed, destination_armed, unlock, report, report_fault;
    wire [3:0]   crypto_state;
    wire [16:0]  report_status;
    wire [1:0]   report_kind, report_access;
    wire [31:0]  report_address, read_fault_address, write_done;
    wire         fetching, fetch_list, fetch_ended, fetch_failed, fetch_lock, read_fault_decode;

    // what is done of the last run, without the dump
    reg  [28:0]  data_beats_reg;
    wire         write_started;
    wire [31:0]  data_beats = {3'd0, data_beats_reg};
    wire [31:0]  data_done  = !write_started ? 32'd0 : write_done < data_beats ? write_done : data_beats;

    qce_front front (
        .clk(clk), .rst(rst), .shared(quirk_reg[QUIRK_SHARED_REGISTERS]),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready), .irq(irq),
        .soft_reset(soft_reset), .go(go), .doorbell(doorbell), .doorbell_list(doorbell_list),
        .results_dump(results_dump), .config_word(config_word), .seg_size(seg_size), .encr_size(encr_size),
        .encr_start(encr_start), .counters(counters), .key(key), .source_address(source_address),
        .source_length(source_length), .destination_address(destination_address),
        .destination_length(destination_length), .locked(locked),
        .busy(engine_busy), .crypto_state(crypto_state), .source_armed(source_armed),
        .source_current(source_current), .destination_armed(destination_armed),
        .destination_current(destination_current), .cycles(cycles), .bytes_done({data_done[27:0], 4'd0}),
        .drained(drained), .unlock(unlock), .fetch_ended(fetch_ended), .fetch_list(fetch_list),
        .fetch_failed(fetch_failed), .fetch_lock(fetch_lock), .read_fault_decode(read_fault_decode),
        .read_fault_address(read_fault_address),
        .report(report), .report_status(report_status), .report_fault(report_fault), .report_kind(report_kind),
        .report_access(report_access), .report_address(report_address)
    );

    assign busy = engine_busy || fetching || draining;

    // -- the course ---------------------------------------------------------------------------------
    wire        bad, nothing, decrypt, run_dump, hang, hang_in_unit;
    wire [1:0]  key_bits;
    wire [28:0] blocks, run_blocks;
    wire        key_valid, key_ready, walk_start, walk_all, check, run_start, running;
    wire        read_open, read_stop, write_open, write_cut, write_stop;
    wire        source_over, source_misaligned, source_short, source_unlock, source_piece;
    wire        destination_over, destination_covered, destination_misaligned, destination_short;
    wire        destination_unlock, destination_piece;
    wire [31:0] source_bad_address, destination_bad_address, source_data, destination_data;
    wire [11:0] source_blocks, destination_blocks;
    wire        core_empty, read_busy, read_pending, read_fault, read_ready;
    wire        write_busy, write_empty, write_finished, write_fault, write_fault_decode, write_ready;
    wire [31:0] write_fault_address;

    wire source_taken      = source_piece && read_open && read_ready;
    wire destination_taken = destination_piece && write_open && write_ready;

    qce_setup setup (
        .length_512_hang(quirk_reg[QUIRK_LENGTH_512_HANG]),
        .partial_block_hang(quirk_reg[QUIRK_PARTIAL_BLOCK_HANG]), .no_aes192(quirk_reg[QUIRK_NO_AES192]),
        .config_word(config_word), .seg_size(seg_size), .encr_size(encr_size), .encr_start(encr_start),
        .results_dump(results_dump),
        .bad(bad), .nothing(nothing), .key_bits(key_bits), .decrypt(decrypt), .blocks(blocks),
        .run_blocks(run_blocks), .run_dump(run_dump), .hang(hang), .hang_in_unit(hang_in_unit)
    );

    qce_control control (
        .clk(clk), .rst(rst), .soft_reset(soft_reset), .draining(draining), .drained(drained),
        .go(go), .bad(bad), .nothing(nothing), .hang(hang), .hang_in_unit(hang_in_unit),
        .zero_length_hang(quirk_reg[QUIRK_ZERO_LENGTH_HANG]), .wait_cycles(wait_reg),
        .busy(engine_busy), .state(crypto_state), .report(report), .report_status(report_status),
        .fault(report_fault), .fault_kind(report_kind), .fault_access(report_access), .fault_address(report_address),
        .cycles(cycles), .key_valid(key_valid), .key_ready(key_ready),
        .fetching(fetching), .walk_start(walk_start), .walk_all(walk_all), .check(check), .unlock(unlock),
        .source_armed(source_armed), .source_over(source_over), .source_misaligned(source_misaligned),
        .source_misaligned_address(source_bad_address), .source_short(source_short), .source_unlock(source_unlock),
        .destination_armed(destination_armed), .destination_over(destination_over),
        .destination_covered(destination_covered), .destination_misaligned(destination_misaligned),
        .destination_misaligned_address(destination_bad_address), .destination_short(destination_short),
        .destination_unlock(destination_unlock),
        .run_start(run_start), .running(running), .read_open(read_open), .read_stop(read_stop),
        .write_open(write_open), .write_started(write_started), .write_taken(destination_taken),
        .write_cut(write_cut), .write_stop(write_stop),
        .core_empty(core_empty), .read_busy(read_busy), .read_pending(read_pending), .read_fault(read_fault),
        .read_fault_decode(read_fault_decode), .read_fault_address(read_fault_address),
        .write_busy(write_busy), .write_empty(write_empty), .write_finished(write_finished),
        .write_fault(write_fault), .write_fault_decode(write_fault_decode), .write_fault_address(write_fault_address)
    );

    // -- the lists: in a check up to the end of the request, in a run up to what will be done ------------------
    wire         list_command, list_ready;
    wire [31:0]  list_address;
    wire [11:0]  list_beats;
    wire [127:0] beat;

    qce_lists lists (
        .clk(clk), .rst(rst), .soft_reset(soft_reset),
        .doorbell(doorbell), .doorbell_list(doorbell_list), .source_address(source_address),
        .source_length(source_length), .destination_address(destination_address),
        .destination_length(destination_length), .source_current(source_current),
        .destination_current(destination_current),
        .command(list_command), .command_address(list_address), .command_beats(list_beats),
        .read_busy(read_busy), .read_fault(read_fault), .beat_valid(read_pending), .beat_ready(list_ready),
        .beat(beat), .fetching(fetching), .fetch_list(fetch_list), .fetch_ended(fetch_ended),
        .fetch_failed(fetch_failed), .fetch_lock(fetch_lock),
        .clear_current(go), .walk_start(walk_start), .check(check), .blocks(walk_all ? blocks : run_blocks),
        .dump(walk_all ? results_dump : run_dump), .dump_follows(quirk_reg[QUIRK_DUMP_FOLLOWS_DATA]),
        .disarm(report),
        .source_armed(source_armed), .source_over(source_over), .source_misaligned(source_misaligned),
        .source_misaligned_address(source_bad_address), .source_short(source_short), .source_unlock(source_unlock),
        .source_piece(source_piece), .source_piece_address(source_data), .source_piece_blocks(source_blocks),
        .source_taken(source_taken),
        .destination_armed(destination_armed), .destination_over(destination_over),
        .destination_covered(destination_covered), .destination_misaligned(destination_misaligned),
        .destination_misaligned_address(destination_bad_address), .destination_short(destination_short),
        .destination_unlock(destination_unlock), .destination_piece(destination_piece),
        .destination_piece_address(destination_data), .destination_piece_blocks(destination_blocks),
        .destination_taken(destination_taken)
    );

    always @(posedge clk)
        if (run_start)
            data_beats_reg <= run_blocks;

    // -- the data -----------------------------------------------------------------------------------
    qce_data #(.STAGES(STAGES)) data (
        .clk(clk), .rst(rst), .core_rst(rst || draining),
        .key_valid(key_valid), .key_ready(key_ready), .key(key), .key_bits(key_bits), .key_decrypt(decrypt),
        .read_valid(list_command || (source_piece && read_open)), .read_ready(read_ready),
        .read_address(list_command ? list_address : source_data),
        .read_beats(list_command ? list_beats : source_blocks),
        .read_continue(!list_command), .read_stop(read_stop),
        .write_valid(destination_piece && write_open), .write_ready(write_ready),
        .write_address(destination_data), .write_beats(destination_blocks), .write_continue(write_started),
        .write_cut(write_cut), .write_stop(write_stop),
        .run_start(run_start), .run_blocks(run_blocks), .run_dump(run_dump), .run_open(running && write_started),
        .run_close(read_stop), .core_empty(core_empty), .read_busy(read_busy), .read_pending(read_pending),
        .read_fault(read_fault), .read_fault_decode(read_fault_decode), .read_fault_address(read_fault_address),
        .write_busy(write_busy), .write_empty(write_empty), .write_finished(write_finished),
        .write_fault(write_fault), .write_fault_decode(write_fault_decode),
        .write_fault_address(write_fault_address), .write_done(write_done),
        .list_ready(list_ready), .beat(beat),
        .stale_status(quirk_reg[QUIRK_STALE_DUMP_STATUS]), .counters(counters), .locked(locked),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_araddr(m_axi_araddr),
        .m_axi_arlen(m_axi_arlen),
        .m_axi_rvalid(m_axi_rvalid), .m_axi_rready(m_axi_rready), .m_axi_rdata(m_axi_rdata),
        .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast),
        .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready), .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awlen(m_axi_awlen),
        .m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready), .m_axi_wdata(m_axi_wdata),
        .m_axi_wlast(m_axi_wlast),
        .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready), .m_axi_bresp(m_axi_bresp)
    );

    assign m_axi_arid    = 1'b0;
    assign m_axi_arsize  = SIZE_16_BYTES;
    assign m_axi_arburst = BURST_INCR;
    assign m_axi_arlock  = 1'b0;
    assign m_axi_arcache = CACHE_NORMAL;
    assign m_axi_arprot  = PROT_DATA;
    assign m_axi_awid    = 1'b0;
    assign m_axi_awsize  = SIZE_16_BYTES;
    assign m_axi_awburst = BURST_INCR;
    assign m_axi_awlock  = 1'b0;
    assign m_axi_awcache = CACHE_NORMAL;
    assign m_axi_awprot  = PROT_DATA;
    assign m_axi_wstrb   = 16'hffff;

    // other engines' quirks; one id; and what the control makes sure of
    wire unused = &{1'b0, quirk_reg, m_axi_rid, m_axi_bid, data_done[31:28], 1'b0};
endmodule
`default_nettype wire
