// padlock.v - the PadLock personality: `rep xcryptecb` as an engine on an AXI4 bus
//
//      xcrypt -> [control] -> done
//                    |
//      R -> [reader] -> [key cache] -> key, schedule
//                    \-> ------------> [aes_ecb] -> [writer] -> W
//
// STAGES      rounds in flight in the core, see aes_ecb
//
// Quirks 0, 1, 2, 3 and 5 of quirks.vh are straps; quirk 4, the alignment, is a limit of the bus. Straps
// are sampled while rst or soft_rst is high. rst is for power-on only: it forgets outstanding bus
// transactions. soft_rst abandons the request, forgets the key and lets the bus drain; until then
// xcrypt_ready is low.
`default_nettype none

module padlock #(
    parameter STAGES = 1
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         soft_rst,

    // straps
    input  wire [15:0]  quirk,
    input  wire [3:0]   fetch_blocks,   // 1, 2, 4 or 8: blocks of a fetch group
    input  wire [15:0]  setup_cycles,   // entry of the microcode

    // the instruction: addresses, and a count of 16-byte blocks
    input  wire         xcrypt_valid,
    output wire         xcrypt_ready,
    input  wire [31:0]  xcrypt_cword,
    input  wire [31:0]  xcrypt_key,
    input  wire [31:0]  xcrypt_src,
    input  wire [31:0]  xcrypt_dst,
    input  wire [31:0]  xcrypt_count,

    // its end: pointers advanced over the blocks done, count of those left
    output wire         done_valid,
    input  wire         done_ready,
    output wire [2:0]   done_status,    // padlock_status.vh
    output wire [31:0]  done_src,
    output wire [31:0]  done_dst,
    output wire [31:0]  done_count,
    output wire [31:0]  done_address,   // of a fault, else 0
    output wire [31:0]  done_cycles,    // clock edges from acceptance to done_valid

    // events of the processor
    input  wire         flags_load,     // popf, iret: forget the key
    input  wire         irq,            // stop at a block boundary
    output wire         key_loaded,     // EFLAGS bit 30

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

    localparam       FIFO_BITS     = 5;
    localparam [2:0] SIZE_16_BYTES = 3'd4;
    localparam [1:0] BURST_INCR    = 2'd1;
    localparam [3:0] CACHE_NORMAL  = 4'b0011;   // normal, non-cacheable, bufferable
    localparam [2:0] PROT_DATA     = 3'b000;

    // -- straps -----------------------------------------------------------------------------------
    reg [15:0] quirk_reg;
    reg [3:0]  group_reg;
    reg [15:0] setup_reg;

    always @(posedge clk)
        if (rst || soft_rst) begin
            quirk_reg <= quirk;
            group_reg <= quirk[QUIRK_FETCH_AHEAD] ? fetch_blocks : 4'd1;
            setup_reg <= setup_cycles;
        end

    // -- control ----------------------------------------------------------------------------------
    wire        bad_word, take_word, hand_over, handed_over, key_complete, keygen, abandon, forget;
    wire [4:0]  key_beats;
    wire        read_valid, read_ready, read_halt, read_busy, read_fault, read_fault_decode;
    wire [31:0] read_address, read_fault_address;
    wire [32:0] read_beats;
    wire [4:0]  read_group;
    wire        run_start, run_open, run_close, core_empty;
    wire [31:0] run_dst, run_count;
    wire        write_ready, write_cut, write_busy, write_finished, write_fault, write_fault_decode;
    wire [31:0] write_fault_address, write_done;
    wire        beat_valid;

    padlock_control control (
        .clk(clk), .rst(rst), .soft_rst(soft_rst),
        .sticky_key(quirk_reg[QUIRK_STICKY_KEY]), .irq_forgets_key(quirk_reg[QUIRK_IRQ_FORGETS_KEY]),
        .group(group_reg), .setup_cycles(setup_reg),
        .xcrypt_valid(xcrypt_valid), .xcrypt_ready(xcrypt_ready), .xcrypt_cword(xcrypt_cword),
        .xcrypt_key(xcrypt_key), .xcrypt_src(xcrypt_src), .xcrypt_dst(xcrypt_dst), .xcrypt_count(xcrypt_count),
        .done_valid(done_valid), .done_ready(done_ready), .done_status(done_status), .done_src(done_src),
        .done_dst(done_dst), .done_count(done_count), .done_address(done_address), .done_cycles(done_cycles),
        .irq(irq),
        .key_loaded(key_loaded), .bad_word(bad_word), .key_beats(key_beats), .keygen(keygen),
        .take_word(take_word), .hand_over(hand_over), .handed_over(handed_over), .key_complete(key_complete),
        .abandon(abandon), .forget(forget),
        .read_valid(read_valid), .read_address(read_address), .read_beats(read_beats), .read_group(read_group),
        .read_halt(read_halt), .read_busy(read_busy), .read_pending(beat_valid), .read_fault(read_fault),
        .read_fault_decode(read_fault_decode), .read_fault_address(read_fault_address),
        .run_start(run_start), .run_open(run_open), .run_close(run_close), .run_dst(run_dst),
        .run_count(run_count), .core_empty(core_empty),
        .write_cut(write_cut), .write_busy(write_busy), .write_finished(write_finished),
        .write_fault(write_fault), .write_fault_decode(write_fault_decode),
        .write_fault_address(write_fault_address), .write_done(write_done)
    );

    // -- key --------------------------------------------------------------------------------------
    wire         key_beat_ready, key_valid, key_ready, key_decrypt, rk_valid, rk_ready, rk_last, rk_decrypt;
    wire [127:0] beat, rk_data;
    wire [255:0] key;
    wire [1:0]   key_bits;
    wire [3:0]   rk_rounds;

    padlock_key_cache key_cache (
        .clk(clk), .rst(rst || soft_rst),
        .keygen_128_only(quirk_reg[QUIRK_KEYGEN_128_ONLY]),
        .schedule_overread(quirk_reg[QUIRK_SCHEDULE_OVERREAD]),
        .take_word(take_word), .hand_over(hand_over), .handed_over(handed_over),
        .complete(key_complete), .forget(forget || flags_load), .key_loaded(key_loaded),
        .bad_word(bad_word), .key_beats(key_beats), .keygen(keygen),
        .beat_valid(beat_valid), .beat_ready(key_beat_ready), .beat(beat),
        .key_valid(key_valid), .key_ready(key_ready), .key(key), .key_bits(key_bits), .key_decrypt(key_decrypt),
        .rk_valid(rk_valid), .rk_ready(rk_ready), .rk_data(rk_data), .rk_last(rk_last),
        .rk_decrypt(rk_decrypt), .rk_rounds(rk_rounds)
    );

    // -- data -------------------------------------------------------------------------------------
    wire         in_valid, in_ready, out_valid, flow_open, all_entered, writer_room, writer_empty, freed;
    wire [127:0] out_block;
    wire         entered = in_valid && in_ready;

    assign in_valid = beat_valid && run_open && flow_open;

    axi_reader #(.FIFO_BITS(FIFO_BITS), .BEATS_BITS(33)) reader (
        .clk(clk), .rst(rst),
        .cmd_valid(read_valid), .cmd_ready(read_ready), .cmd_address(read_address), .cmd_beats(read_beats),
        .cmd_group(read_group), .cmd_continue(1'b0), .halt(read_halt),
        .busy(read_busy), .fault(read_fault), .fault_decode(read_fault_decode), .fault_address(read_fault_address),
        .out_valid(beat_valid), .out_ready(key_beat_ready || entered), .out_data(beat),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_araddr(m_axi_araddr),
        .m_axi_arlen(m_axi_arlen),
        .m_axi_rvalid(m_axi_rvalid), .m_axi_rready(m_axi_rready), .m_axi_rdata(m_axi_rdata),
        .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast)
    );

    block_flow #(.ROOM_BITS(FIFO_BITS)) flow (
        .clk(clk), .rst(rst || soft_rst),
        .start(run_start), .count(run_count), .close(run_close), .open(flow_open), .all_entered(all_entered),
        .entered(entered), .left(out_valid), .freed(freed), .empty(core_empty)
    );

    aes_ecb #(.STAGES(STAGES)) core (
        .clk(clk), .rst(rst || soft_rst || abandon),
        .key_valid(key_valid), .key_ready(key_ready), .key(key), .key_bits(key_bits), .key_decrypt(key_decrypt),
        .rk_valid(rk_valid), .rk_ready(rk_ready), .rk_data(rk_data), .rk_last(rk_last),
        .rk_decrypt(rk_decrypt), .rk_rounds(rk_rounds),
        .in_valid(in_valid), .in_ready(in_ready), .in_block(beat),
        .out_valid(out_valid), .out_ready(1'b1), .out_block(out_block)
    );

    axi_writer #(.FIFO_BITS(FIFO_BITS)) writer (
        .clk(clk), .rst(rst),
        .cmd_valid(run_start), .cmd_ready(write_ready), .cmd_address(run_dst), .cmd_beats(run_count),
        .cmd_continue(1'b0), .cut(write_cut), .abandon(soft_rst),
        .busy(write_busy), .finished(write_finished), .empty(writer_empty), .fault(write_fault),
        .fault_decode(write_fault_decode), .fault_address(write_fault_address), .done_beats(write_done),
        .in_valid(out_valid), .in_ready(writer_room), .in_data(out_block), .freed(freed),
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

    // other engines' quirks; one id; and what the control and the flow make sure of
    wire unused = &{1'b0, quirk_reg[15:6], quirk_reg[4], quirk_reg[QUIRK_FETCH_AHEAD], m_axi_rid, m_axi_bid,
                    read_ready, write_ready, all_entered, writer_room, writer_empty, 1'b0};
endmodule
`default_nettype wire
