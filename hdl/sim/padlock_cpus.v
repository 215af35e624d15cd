// padlock_cpus.v - one or two CPUs, each with a PadLock engine of its own, on one bus
//
// CPUS     1 or 2
// STAGES   rounds in flight in each core, see aes_ecb
//
// `cpu` says whose turn it is: instruction, events and bus are those of its engine, while the other one keeps
// its key. It may change only while no engine is busy. A soft reset is of both. The ports are those of padlock,
// with operands, results and the payloads of the bus's channels packed.
`default_nettype none

module padlock_cpus #(
    parameter CPUS   = 1,
    parameter STAGES = 1
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         soft_rst,
    input  wire         cpu,

    input  wire [15:0]  quirk,
    input  wire [3:0]   fetch_blocks,
    input  wire [15:0]  setup_cycles,

    input  wire         xcrypt_valid,
    output wire         xcrypt_ready,
    input  wire [159:0] xcrypt,         // {count, dst, src, key, cword}
    output wire         done_valid,
    output wire [162:0] done,           // {status, cycles, address, count, dst, src}
    input  wire         flags_load,
    input  wire         irq,
    output wire         key_loaded,

    // AXI4 master
    output wire [45:0]  ar,             // {id, burst, size, len, addr}
    output wire         arvalid,
    input  wire         arready,
    input  wire [130:0] r,              // {last, resp, data}
    input  wire         rvalid,
    output wire         rready,
    output wire [45:0]  aw,             // {id, burst, size, len, addr}
    output wire         awvalid,
    input  wire         awready,
    output wire [144:0] w,              // {last, strb, data}
    output wire         wvalid,
    input  wire         wready,
    input  wire [1:0]   bresp,
    input  wire         bvalid,
    output wire         bready
);
    wire [CPUS-1:0]     ready_all, done_valid_all, key_loaded_all;
    wire [CPUS-1:0]     arvalid_all, rready_all, awvalid_all, wvalid_all, bready_all;
    wire [163*CPUS-1:0] done_all;
    wire [46*CPUS-1:0]  ar_all, aw_all;
    wire [145*CPUS-1:0] w_all;

    wire turn = CPUS == 1 ? 1'b0 : cpu;

    assign xcrypt_ready = ready_all[turn];
    assign done_valid   = done_valid_all[turn];
    assign done         = done_all[163*turn +: 163];
    assign key_loaded   = key_loaded_all[turn];
    assign ar           = ar_all[46*turn +: 46];
    assign arvalid      = arvalid_all[turn];
    assign rready       = rready_all[turn];
    assign aw           = aw_all[46*turn +: 46];
    assign awvalid      = awvalid_all[turn];
    assign w            = w_all[145*turn +: 145];
    assign wvalid       = wvalid_all[turn];
    assign bready       = bready_all[turn];

    genvar number;
    generate
        for (number = 0; number < CPUS; number = number + 1) begin : cpus
            wire       mine = turn == number;
            wire       arlock, awlock;
            wire [3:0] arcache, awcache;
            wire [2:0] arprot, awprot;

            padlock #(.STAGES(STAGES)) engine (
                .clk(clk), .rst(rst), .soft_rst(soft_rst),
                .quirk(quirk), .fetch_blocks(fetch_blocks), .setup_cycles(setup_cycles),
                .xcrypt_valid(xcrypt_valid && mine), .xcrypt_ready(ready_all[number]),
                .xcrypt_cword(xcrypt[31:0]), .xcrypt_key(xcrypt[63:32]), .xcrypt_src(xcrypt[95:64]),
                .xcrypt_dst(xcrypt[127:96]), .xcrypt_count(xcrypt[159:128]),
                .done_valid(done_valid_all[number]), .done_ready(1'b1),
                .done_src(done_all[163*number +: 32]), .done_dst(done_all[163*number + 32 +: 32]),
                .done_count(done_all[163*number + 64 +: 32]), .done_address(done_all[163*number + 96 +: 32]),
                .done_cycles(done_all[163*number + 128 +: 32]), .done_status(done_all[163*number + 160 +: 3]),
                .flags_load(flags_load && mine), .irq(irq && mine), .key_loaded(key_loaded_all[number]),
                .m_axi_araddr(ar_all[46*number +: 32]), .m_axi_arlen(ar_all[46*number + 32 +: 8]),
                .m_axi_arsize(ar_all[46*number + 40 +: 3]), .m_axi_arburst(ar_all[46*number + 43 +: 2]),
                .m_axi_arid(ar_all[46*number + 45]), .m_axi_arlock(arlock), .m_axi_arcache(arcache),
                .m_axi_arprot(arprot), .m_axi_arvalid(arvalid_all[number]), .m_axi_arready(arready && mine),
                .m_axi_rid(1'b0), .m_axi_rdata(r[127:0]), .m_axi_rresp(r[129:128]), .m_axi_rlast(r[130]),
                .m_axi_rvalid(rvalid && mine), .m_axi_rready(rready_all[number]),
                .m_axi_awaddr(aw_all[46*number +: 32]), .m_axi_awlen(aw_all[46*number + 32 +: 8]),
                .m_axi_awsize(aw_all[46*number + 40 +: 3]), .m_axi_awburst(aw_all[46*number + 43 +: 2]),
                .m_axi_awid(aw_all[46*number + 45]), .m_axi_awlock(awlock), .m_axi_awcache(awcache),
                .m_axi_awprot(awprot), .m_axi_awvalid(awvalid_all[number]), .m_axi_awready(awready && mine),
                .m_axi_wdata(w_all[145*number +: 128]), .m_axi_wstrb(w_all[145*number + 128 +: 16]),
                .m_axi_wlast(w_all[145*number + 144]), .m_axi_wvalid(wvalid_all[number]),
                .m_axi_wready(wready && mine),
                .m_axi_bid(1'b0), .m_axi_bresp(bresp), .m_axi_bvalid(bvalid && mine),
                .m_axi_bready(bready_all[number])
            );

            wire unused = &{1'b0, arlock, arcache, arprot, awlock, awcache, awprot, 1'b0};
        end
    endgenerate

    wire unused = &{1'b0, cpu, 1'b0};
endmodule
`default_nettype wire
