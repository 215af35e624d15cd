// qce_registers.v - the register file of the QCE: setup, status, masks and the interrupt line
//
// What is written at the edge of an access is in force after it; what is read at that edge is what was in
// force before it. What the engine reports at an edge wins over what is written at it. See qce.rdl for the
// meaning of each register, qce_access.v for when it can be written.
`default_nettype none

module qce_registers (
    input  wire         clk,
    input  wire         rst,            // rst, or the edge of a soft reset

    // the access
    input  wire         write,          // takes effect at this edge
    input  wire         read,
    input  wire         go,             // the write is one of GOPROC with GO
    input  wire [15:0]  address,
    input  wire [31:0]  write_data,
    output reg  [31:0]  read_data,

    // setup
    output reg          results_dump,
    output reg  [10:0]  config_word,    // of ENCR_SEG_CFG
    output reg  [31:0]  seg_size,
    output reg  [31:0]  encr_size,
    output reg  [31:0]  encr_start,
    output reg  [127:0] counters,       // CNTR0_IV in bits 31:0
    output reg  [255:0] key,            // ENCR_KEY0 in bits 31:0
    output reg  [31:0]  source_address, // of the lists
    output reg  [6:0]   source_length,
    output reg  [31:0]  destination_address,
    output reg  [6:0]   destination_length,

    // state
    input  wire         busy,
    input  wire [3:0]   crypto_state,
    input  wire         locked,
    input  wire [6:0]   source_current,
    input  wire [6:0]   destination_current,
    input  wire [31:0]  cycles,
    input  wire [31:0]  bytes_done,

    // what the engine reports
    input  wire         report,         // a request ends at this edge
    input  wire [16:0]  report_status,  // with these bits of STATUS
    input  wire         fault,          // a fault is found at this edge
    input  wire [1:0]   fault_kind,
    input  wire [1:0]   fault_access,
    input  wire [31:0]  fault_address,

    // interrupt
    output wire         interrupt_pending,
    output wire         interrupt_kept,
    output wire         irq
);
    /* verilator lint_off UNUSEDPARAM */ // each module uses its part of the map
    `include "qce_registers.vh"
    /* verilator lint_on UNUSEDPARAM */

    reg [16:0] status_reg;    // its sticky bits; the others are 0
    reg [3:0]  masks_reg;
    reg [19:0] xts_du_size_reg;
    reg [1:0]  kind_reg;
    reg [1:0]  access_reg;
    reg [31:0] fault_address_reg;

    assign interrupt_pending = status_reg[STATUS_OP_DONE_INTR_BIT] || status_reg[STATUS_ERR_INTR_BIT];
    assign interrupt_kept    = (status_reg[STATUS_OP_DONE_INTR_BIT] && write_data[STATUS_OP_DONE_INTR_BIT])
                               || (status_reg[STATUS_ERR_INTR_BIT] && write_data[STATUS_ERR_INTR_BIT]);
    assign irq = (status_reg[STATUS_OP_DONE_INTR_BIT] && !masks_reg[CONFIG_MASK_OP_DONE_INTR_BIT])
                 || (status_reg[STATUS_ERR_INTR_BIT] && !masks_reg[CONFIG_MASK_ERR_INTR_BIT]);

    always @(posedge clk) begin
        if (write)
            case (address)
                ADDR_STATUS:           status_reg      <= status_reg & write_data[16:0];
                ADDR_SEG_SIZE:         seg_size        <= write_data;
                ADDR_GOPROC:           results_dump    <= write_data[GOPROC_RESULTS_DUMP_BIT];
                ADDR_ENCR_SEG_CFG:     config_word     <= write_data[10:0];
                ADDR_ENCR_SEG_SIZE:    encr_size       <= write_data;
                ADDR_ENCR_SEG_START:   encr_start      <= write_data;
                ADDR_CNTR0_IV:         counters[31:0]  <= write_data;
                ADDR_CNTR1_IV:         counters[63:32] <= write_data;
                ADDR_CNTR2_IV:         counters[95:64] <= write_data;
                ADDR_CNTR3_IV:         counters[127:96] <= write_data;
                ADDR_XTS_DU_SIZE:      xts_du_size_reg <= write_data[19:0];
                ADDR_CONFIG:           masks_reg       <= write_data[3:0];
                ADDR_ENCR_KEY0:        key[31:0]       <= write_data;
                ADDR_ENCR_KEY1:        key[63:32]      <= write_data;
                ADDR_ENCR_KEY2:        key[95:64]      <= write_data;
                ADDR_ENCR_KEY3:        key[127:96]     <= write_data;
                ADDR_ENCR_KEY4:        key[159:128]    <= write_data;
                ADDR_ENCR_KEY5:        key[191:160]    <= write_data;
                ADDR_ENCR_KEY6:        key[223:192]    <= write_data;
                ADDR_ENCR_KEY7:        key[255:224]    <= write_data;
                ADDR_SRC_LIST_ADDRESS: source_address  <= write_data;
                ADDR_SRC_LIST_LENGTH:  source_length   <= write_data[6:0];
                ADDR_DST_LIST_ADDRESS: destination_address <= write_data;
                ADDR_DST_LIST_LENGTH:  destination_length  <= write_data[6:0];
                default: ;   // GO, SOFT_RESET and the doorbells hold nothing
            endcase
        if (go) begin
            status_reg        <= 17'd0;
            kind_reg          <= FAULT_KIND_NONE;
            access_reg        <= 2'd0;
            fault_address_reg <= 32'd0;
        end
        if (report)
            status_reg <= report_status;
        if (fault) begin
            kind_reg          <= fault_kind;
            access_reg        <= fault_access;
            fault_address_reg <= fault_address;
        end
        if (read)
            case (address)
                ADDR_VERSION:          read_data <= RESET_VERSION;
                ADDR_STATUS: begin
                    read_data <= {15'd0, status_reg};
                    read_data[STATUS_ENCR_BUSY_BIT] <= busy;
                    read_data[STATUS_CRYPTO_STATE_MSB:STATUS_CRYPTO_STATE_LSB] <= crypto_state;
                end
                ADDR_STATUS2: begin
                    read_data <= 32'd0;
                    read_data[STATUS2_LOCKED_BIT] <= locked;
                end
                ADDR_SEG_SIZE:         read_data <= seg_size;
                ADDR_GOPROC: begin
                    read_data <= 32'd0;
                    read_data[GOPROC_RESULTS_DUMP_BIT] <= results_dump;
                end
                ADDR_ENCR_SEG_CFG:     read_data <= {21'd0, config_word};
                ADDR_ENCR_SEG_SIZE:    read_data <= encr_size;
                ADDR_ENCR_SEG_START:   read_data <= encr_start;
                ADDR_CNTR0_IV:         read_data <= counters[31:0];
                ADDR_CNTR1_IV:         read_data <= counters[63:32];
                ADDR_CNTR2_IV:         read_data <= counters[95:64];
                ADDR_CNTR3_IV:         read_data <= counters[127:96];
                ADDR_XTS_DU_SIZE:      read_data <= {12'd0, xts_du_size_reg};
                ADDR_CONFIG:           read_data <= {28'd0, masks_reg};
                ADDR_SRC_LIST_ADDRESS: read_data <= source_address;
                ADDR_SRC_LIST_LENGTH:  read_data <= {25'd0, source_length};
                ADDR_SRC_CURRENT:      read_data <= {25'd0, source_current};
                ADDR_DST_LIST_ADDRESS: read_data <= destination_address;
                ADDR_DST_LIST_LENGTH:  read_data <= {25'd0, destination_length};
                ADDR_DST_CURRENT:      read_data <= {25'd0, destination_current};
                ADDR_CYCLES:           read_data <= cycles;
                ADDR_BYTES_DONE:       read_data <= bytes_done;
                ADDR_FAULT: begin
                    read_data <= 32'd0;
                    read_data[FAULT_KIND_MSB:FAULT_KIND_LSB]     <= kind_reg;
                    read_data[FAULT_ACCESS_MSB:FAULT_ACCESS_LSB] <= access_reg;
                end
                ADDR_FAULT_ADDRESS:    read_data <= fault_address_reg;
                default:               read_data <= 32'd0;   // can be written only
            endcase
        if (rst) begin
            read_data           <= 32'd0;
            status_reg          <= 17'd0;
            seg_size            <= 32'd0;
            results_dump        <= 1'b0;
            config_word         <= 11'd0;
            encr_size           <= 32'd0;
            encr_start          <= 32'd0;
            counters            <= 128'd0;
            xts_du_size_reg     <= 20'd0;
            masks_reg           <= RESET_CONFIG[3:0];
            key                 <= 256'd0;
            source_address      <= 32'd0;
            source_length       <= 7'd0;
            destination_address <= 32'd0;
            destination_length  <= 7'd0;
            kind_reg            <= FAULT_KIND_NONE;
            access_reg          <= 2'd0;
            fault_address_reg   <= 32'd0;
        end
    end
endmodule
`default_nettype wire
