// axi_ram.v - memory with an AXI4 slave port, made to be filled and emptied by Python through VPI
//
// LINES   size in lines of 512 bytes; a multiple of 8 (pages of 4 KiB)
//
// Byte k of a line is in bits 8k+7:8k of its word of `mem`. `written` has a bit for every line, set when
// the engine writes to it and cleared by Python. `page_no_read` and `page_no_write` have a bit for every
// page: SLVERR, for each beat that is read, for a burst that is written. Outside the memory: DECERR.
// A burst that is answered with an error writes nothing.
//
// Back door. Python reads and writes `mem` line by line through VPI or, faster, through a file of the
// memory's image and a spare page, named by the plusarg backdoor=PATH. A change of its toggle in `push` takes the
// lines of four runs over from it. When `pull` rises and something has been written since it last rose,
// the lines that span it all go to the file, and `pulled` changes.
//
// Latency, in clock edges: from the AR handshake to the edge at which the first R beat can be taken, and
// from the last W beat to the edge at which B can be taken; at least 1 (0 counts as 1). After its first
// beat a burst gives one beat per edge; bursts follow each other without a gap. R data is what the memory
// held one edge before it can be taken. Two reads and one write wait at the most.
//
// With stall_seed = 0 ready is always high and no beat comes late. Else each channel selected in
// stall_mask (0 AR, 1 R, 2 AW, 3 W, 4 B) pauses in stall_rate of 256 cycles, pseudo-randomly.
`default_nettype none

module axi_ram #(
    parameter LINES = 8192
) (
    input  wire         clk,
    input  wire         rst,

    // straps, free to change at any time
    input  wire [15:0]  read_latency,
    input  wire [15:0]  write_latency,
    input  wire [31:0]  stall_seed,
    input  wire [4:0]   stall_mask,
    input  wire [7:0]   stall_rate,
    input  wire [1:0]   bus_error_enable,   // bit 0: reads of that beat, bit 1: writes of a burst with it
    input  wire [31:0]  bus_error_address,

    // back door by file
    input  wire [128:0] push,               // {toggle, four runs of {end, first line}}
    input  wire         pull,
    output reg  [32:0]  pulled,             // {toggle, end, first line}

    // AXI4 slave: bursts of 128-bit beats that do not cross 4 KiB
    input  wire [31:0]  s_axi_araddr,
    input  wire [7:0]   s_axi_arlen,
    input  wire         s_axi_arvalid,
    output wire         s_axi_arready,
    output reg  [127:0] s_axi_rdata,
    output reg  [1:0]   s_axi_rresp,
    output reg          s_axi_rlast,
    output reg          s_axi_rvalid,
    input  wire         s_axi_rready,
    input  wire [31:0]  s_axi_awaddr,
    input  wire [7:0]   s_axi_awlen,
    input  wire         s_axi_awvalid,
    output wire         s_axi_awready,
    input  wire [127:0] s_axi_wdata,
    input  wire         s_axi_wlast,
    input  wire         s_axi_wvalid,
    output wire         s_axi_wready,
    output reg  [1:0]   s_axi_bresp,
    output reg          s_axi_bvalid,
    input  wire         s_axi_bready
);
    localparam PAGES     = LINES / 8;
    localparam LINE_BITS = $clog2(LINES);
    localparam PAGE_BITS = LINE_BITS - 3;
    localparam [31:0] BYTES = LINES * 512;

    localparam [1:0] OKAY   = 2'd0;
    localparam [1:0] SLVERR = 2'd2;
    localparam [1:0] DECERR = 2'd3;

    /* verilator lint_off MULTIDRIVEN */ // the back door acts at falling edges of clk, the bus at rising ones
    reg [4095:0]      mem [0:LINES-1]  /* verilator public_flat_rw */;
    /* verilator lint_on MULTIDRIVEN */
    reg [LINES-1:0]   written          /* verilator public_flat_rw */;
    reg [PAGES-1:0]   page_no_read     /* verilator public_flat_rw */;
    reg [PAGES-1:0]   page_no_write    /* verilator public_flat_rw */;

    integer line;
    initial begin
        for (line = 0; line < LINES; line = line + 1)
            mem[line] = 4096'd0;
        written       = {LINES{1'b0}};
        page_no_read  = {PAGES{1'b0}};
        page_no_write = {PAGES{1'b0}};
    end

    // -- back door by file -----------------------------------------------------------------------
    reg [8*1024-1:0]    file_name;
    integer             read_file, write_file, run, index, first_line, end_line;
    reg [4095:0]        image;
    reg                 epoch_reg;                          // changes when `pulled` does
    reg                 epoch_seen_reg;                     // of the last write; if old, the next two are too
    reg [LINE_BITS-1:0] first_written_reg, last_written_reg;

    initial begin
        pulled     = 33'd0;
        epoch_reg  = 1'b0;
        read_file  = 0;
        write_file = 0;
        if ($value$plusargs("backdoor=%s", file_name)) begin
            read_file  = $fopen(file_name, "rb");
            write_file = $fopen(file_name, "r+b");
            if (read_file == 0 || write_file == 0)
                $display("%%Error: axi_ram: cannot open the back door %0s", file_name);
        end
    end

    /* verilator lint_off BLKSEQ */      // file access goes step by step
    always @(posedge push[128] or negedge push[128]) if (read_file != 0) begin
        for (run = 0; run < 4; run = run + 1) begin
            first_line = {16'd0, push[32*run +: 16]};
            end_line   = {16'd0, push[32*run + 16 +: 16]};
            if (end_line != first_line) begin
                if ($fseek(read_file, first_line * 512, 0) != 0)
                    $display("%%Error: axi_ram: cannot seek in the back door");
            end
            for (index = first_line; index < end_line; index = index + 1) begin
                if ($fscanf(read_file, "%u", image) != 1)
                    $display("%%Error: axi_ram: cannot read line %0d from the back door", index);
                mem[index[LINE_BITS-1:0]] <= image;
            end
        end
        // parked behind the image of the memory, the stream holds no bytes of it that Python may change
        if ($fseek(read_file, LINES * 512, 0) != 0)
            $display("%%Error: axi_ram: cannot seek in the back door");
        if ($fgetc(read_file) < 0)
            $display("%%Error: axi_ram: the back door ends with the memory");
    end

    always @(posedge pull) begin
        if (write_file != 0 && epoch_seen_reg == epoch_reg) begin
            first_line = {{(32 - LINE_BITS){1'b0}}, first_written_reg};
            end_line   = {{(32 - LINE_BITS){1'b0}}, last_written_reg} + 1;
            if ($fseek(write_file, first_line * 512, 0) != 0)
                $display("%%Error: axi_ram: cannot seek in the back door");
            for (index = first_line; index < end_line; index = index + 1)
                $fwrite(write_file, "%u", mem[index[LINE_BITS-1:0]]);
            $fflush(write_file);
            pulled    = {!epoch_reg, end_line[15:0], first_line[15:0]};
            epoch_reg = !epoch_reg;
        end
    end

    // -- pauses ---------------------------------------------------------------------------------
    reg [31:0] seed_reg;
    reg [31:0] random_reg;
    reg [4:0]  stall_reg;
    reg [31:0] next_random;

    wire stalling = stall_seed != 32'd0;
    assign s_axi_arready = !read_full_reg && !stall_reg[0];
    assign s_axi_awready = !write_busy_reg && !stall_reg[2];
    assign s_axi_wready  = write_data_reg && !stall_reg[3];

    // -- reads: two slots, the head is served ----------------------------------------------------
    reg        head_reg;
    reg [1:0]  read_count_reg;
    reg        read_full_reg;       // both slots are in use
    reg [31:0] slot_address [0:1];
    reg [7:0]  slot_left [0:1];     // beats after the next one
    reg [15:0] slot_wait [0:1];     // edges until the first beat can be loaded

    // -- writes ----------------------------------------------------------------------------------
    reg        write_busy_reg;      // from AW to B
    reg        write_data_reg;      // from AW to WLAST
    reg [31:0] write_address_reg;
    reg [1:0]  write_response_reg;
    reg        answer_reg;          // WLAST has come, B has not been raised
    reg [15:0] answer_wait_reg;

    wire        aw_taken   = s_axi_awvalid && s_axi_awready;
    wire        w_taken    = s_axi_wvalid && s_axi_wready;
    wire        aw_outside = s_axi_awaddr >= BYTES;
    wire [31:0] aw_offset  = bus_error_address - s_axi_awaddr;
    wire        aw_bad     = bus_error_enable[1] && aw_offset < {20'd0, s_axi_awlen, 4'd0} + 32'd16;

    wire [LINE_BITS-1:0] write_line = write_address_reg[LINE_BITS+8:9];

    // a slot filled or freed at an edge counts as such at the same edge
    reg        other;
    reg [31:0] address;
    reg        load;

    always @(posedge clk) begin
        if (stalling) begin
            next_random = seed_reg != stall_seed ? stall_seed : random_reg;
            next_random = next_random ^ (next_random << 13);
            next_random = next_random ^ (next_random >> 17);
            next_random = next_random ^ (next_random << 5);
            random_reg <= next_random;
            seed_reg   <= stall_seed;
            stall_reg  <= stall_mask & {next_random[31:24] < stall_rate, next_random[25:18] < stall_rate,
                                        next_random[19:12] < stall_rate, next_random[13:6] < stall_rate,
                                        next_random[7:0] < stall_rate};
        end else begin
            seed_reg  <= 32'd0;
            stall_reg <= 5'd0;
        end

        // reads
        if (s_axi_rready)
            s_axi_rvalid <= 1'b0;
        if (read_count_reg != 2'd0 || s_axi_arvalid) begin
            if (slot_wait[0] != 16'd0)
                slot_wait[0] = slot_wait[0] - 16'd1;
            if (slot_wait[1] != 16'd0)
                slot_wait[1] = slot_wait[1] - 16'd1;
            if (s_axi_arvalid && s_axi_arready) begin
                other = head_reg ^ read_count_reg[0];
                slot_address[other] = s_axi_araddr;
                slot_left[other]    = s_axi_arlen;
                slot_wait[other]    = read_latency > 16'd1 ? read_latency - 16'd1 : 16'd0;
                read_count_reg      = read_count_reg + 2'd1;
            end
            load = read_count_reg != 2'd0 && slot_wait[head_reg] == 16'd0 && (!s_axi_rvalid || s_axi_rready)
                   && !stall_reg[1];
            if (load) begin
                address      = slot_address[head_reg];
                s_axi_rvalid <= 1'b1;
                s_axi_rlast  <= slot_left[head_reg] == 8'd0;
                if (address >= BYTES
                    || (bus_error_enable[0] && address[31:4] == bus_error_address[31:4])) begin
                    s_axi_rresp <= DECERR;
                    s_axi_rdata <= 128'd0;
                end else if (page_no_read[address[PAGE_BITS+11:12]]) begin
                    s_axi_rresp <= SLVERR;
                    s_axi_rdata <= 128'd0;
                end else begin
                    s_axi_rresp <= OKAY;
                    s_axi_rdata <= mem[address[LINE_BITS+8:9]][{address[8:4], 7'd0} +: 128];
                end
                slot_address[head_reg] = address + 32'd16;
                if (slot_left[head_reg] == 8'd0) begin
                    head_reg       = !head_reg;
                    read_count_reg = read_count_reg - 2'd1;
                end else
                    slot_left[head_reg] = slot_left[head_reg] - 8'd1;
            end
        end

        read_full_reg <= read_count_reg == 2'd2;

        // writes
        if (aw_taken) begin
            write_busy_reg     <= 1'b1;
            write_data_reg     <= 1'b1;
            write_address_reg  <= s_axi_awaddr;
            write_response_reg <= aw_outside || aw_bad ? DECERR
                                  : page_no_write[s_axi_awaddr[PAGE_BITS+11:12]] ? SLVERR : OKAY;
        end
        if (w_taken) begin
            write_address_reg <= write_address_reg + 32'd16;
            if (write_response_reg == OKAY) begin
                mem[write_line][{write_address_reg[8:4], 7'd0} +: 128] <= s_axi_wdata;
                if (!written[write_line])
                    written[write_line] <= 1'b1;
                epoch_seen_reg <= epoch_reg;
                if (epoch_seen_reg != epoch_reg || write_line < first_written_reg)
                    first_written_reg <= write_line;
                if (epoch_seen_reg != epoch_reg || write_line > last_written_reg)
                    last_written_reg <= write_line;
            end
            if (s_axi_wlast) begin
                write_data_reg  <= 1'b0;
                answer_reg      = 1'b1;
                answer_wait_reg = write_latency > 16'd1 ? write_latency : 16'd1;
            end
        end
        if (answer_reg) begin
            if (answer_wait_reg != 16'd0)
                answer_wait_reg = answer_wait_reg - 16'd1;
            if (answer_wait_reg == 16'd0 && !stall_reg[4]) begin
                answer_reg   = 1'b0;
                s_axi_bvalid <= 1'b1;
                s_axi_bresp  <= write_response_reg;
            end
        end
        if (s_axi_bvalid && s_axi_bready) begin
            s_axi_bvalid   <= 1'b0;
            write_busy_reg <= 1'b0;
        end

        if (rst) begin
            seed_reg       <= 32'd0;
            random_reg     <= 32'd0;
            stall_reg      <= 5'd0;
            s_axi_rvalid   <= 1'b0;
            s_axi_bvalid   <= 1'b0;
            head_reg       = 1'b0;
            read_count_reg = 2'd0;
            read_full_reg  <= 1'b0;
            slot_wait[0]   = 16'd0;
            slot_wait[1]   = 16'd0;
            write_busy_reg <= 1'b0;
            write_data_reg <= 1'b0;
            answer_reg     = 1'b0;
            epoch_seen_reg <= !epoch_reg;
        end
    end
    /* verilator lint_on BLKSEQ */
endmodule
`default_nettype wire
