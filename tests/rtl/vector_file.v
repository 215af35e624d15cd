// vector_file.v - reads a file of "ecbench vectors --format readmemh", prints it, and runs its ECB vectors
//
//      COUNT    vectors in the file
//      +vectors=FILE
//
// A line for each vector: number, direction, bits of the key, bytes of data, key, IV, data, result; then,
// for ECB, how many of them aes_ecb gives too. The file has byte 0 on the left, aes_ecb has it on the right.
`default_nettype none

module vector_file #(
    parameter COUNT = 1
);
    localparam DATA   = 8;                  // words of data, as the first word of the file says
    localparam STRIDE = 6 + 2 * DATA;

    reg [127:0]    vectors [0:COUNT * STRIDE];
    reg [8*1024:1] path;

    reg            clk = 1'b0;
    reg            rst = 1'b1;
    reg            key_valid = 1'b0;
    wire           key_ready;
    reg  [255:0]   key = 256'd0;
    reg  [1:0]     key_bits = 2'd0;
    reg            decrypt = 1'b0;
    reg            in_valid = 1'b0;
    wire           in_ready;
    reg  [127:0]   in_block = 128'd0;
    wire           out_valid;
    wire [127:0]   out_block;

    integer number, base, block, passed, failed;

    aes_ecb dut (
        .clk(clk), .rst(rst),
        .key_valid(key_valid), .key_ready(key_ready), .key(key), .key_bits(key_bits), .key_decrypt(decrypt),
        .rk_valid(1'b0), .rk_ready(), .rk_data(128'd0), .rk_last(1'b0), .rk_decrypt(1'b0), .rk_rounds(4'd0),
        .in_valid(in_valid), .in_ready(in_ready), .in_block(in_block),
        .out_valid(out_valid), .out_ready(1'b1), .out_block(out_block)
    );

    always #5 clk = !clk;

    function [127:0] reversed(input [127:0] word);
        integer i;
        for (i = 0; i < 16; i = i + 1)
            reversed[8*i +: 8] = word[127 - 8*i -: 8];
    endfunction

    task load_key;
        begin
            key       = {reversed(vectors[base + 2]), reversed(vectors[base + 1])};
            key_bits  = (vectors[base][63:32] - 128) / 64;
            decrypt   = vectors[base][64];
            key_valid = 1'b1;
            @(posedge clk);
            while (!key_ready) @(posedge clk);
            @(negedge clk) key_valid = 1'b0;
        end
    endtask

    task run_block;
        begin
            in_block = reversed(vectors[base + 6 + block]);
            in_valid = 1'b1;
            @(posedge clk);
            while (!in_ready) @(posedge clk);
            @(negedge clk) in_valid = 1'b0;
            while (!out_valid) @(negedge clk);
            if (out_block === reversed(vectors[base + 6 + DATA + block]))
                passed = passed + 1;
            else
                failed = failed + 1;
        end
    endtask

    task show;
        begin
            $write("vector %0d %0d %0d %0d %h%h%h%h %h ", number, vectors[base][64], vectors[base][63:32],
                   vectors[base][31:0], vectors[base + 1], vectors[base + 2], vectors[base + 3],
                   vectors[base + 4], vectors[base + 5]);
            for (block = 0; block < DATA; block = block + 1)
                $write("%h", vectors[base + 6 + block]);
            $write(" ");
            for (block = 0; block < DATA; block = block + 1)
                $write("%h", vectors[base + 6 + DATA + block]);
            $write("\n");
        end
    endtask

    initial begin
        if (!$value$plusargs("vectors=%s", path))
            $finish;
        $readmemh(path, vectors);
        $display("header %h %0d %0d %0d %0d", vectors[0][127:96], vectors[0][95:80], vectors[0][79:64],
                 vectors[0][63:32], vectors[0][31:0]);
        passed = 0;
        failed = 0;
        repeat (2) @(negedge clk);
        rst = 1'b0;
        for (number = 0; number < COUNT; number = number + 1) begin
            base = 1 + number * STRIDE;
            show;
            if (vectors[0][79:64] == 16'd0) begin
                load_key;
                for (block = 0; block < vectors[base][31:0] / 16; block = block + 1)
                    run_block;
            end
        end
        $display("blocks %0d passed %0d failed", passed, failed);
        $finish;
    end
endmodule
