// qce_registers.vh - the register map of the QCE; made from qce.rdl by `make registers`
localparam [15:0] ADDR_VERSION            = 16'h0000;
localparam [15:0] ADDR_STATUS             = 16'h0100;
localparam [15:0] ADDR_STATUS2            = 16'h0104;
localparam [15:0] ADDR_SEG_SIZE           = 16'h0110;
localparam [15:0] ADDR_GOPROC             = 16'h0120;
localparam [15:0] ADDR_ENCR_SEG_CFG       = 16'h0200;
localparam [15:0] ADDR_ENCR_SEG_SIZE      = 16'h0204;
localparam [15:0] ADDR_ENCR_SEG_START     = 16'h0208;
localparam [15:0] ADDR_CNTR0_IV           = 16'h020c;
localparam [15:0] ADDR_CNTR1_IV           = 16'h0210;
localparam [15:0] ADDR_CNTR2_IV           = 16'h0214;
localparam [15:0] ADDR_CNTR3_IV           = 16'h0218;
localparam [15:0] ADDR_XTS_DU_SIZE        = 16'h0230;
localparam [15:0] ADDR_CONFIG             = 16'h0400;
localparam [15:0] ADDR_ENCR_KEY0          = 16'h3000;
localparam [15:0] ADDR_ENCR_KEY1          = 16'h3004;
localparam [15:0] ADDR_ENCR_KEY2          = 16'h3008;
localparam [15:0] ADDR_ENCR_KEY3          = 16'h300c;
localparam [15:0] ADDR_ENCR_KEY4          = 16'h3010;
localparam [15:0] ADDR_ENCR_KEY5          = 16'h3014;
localparam [15:0] ADDR_ENCR_KEY6          = 16'h3018;
localparam [15:0] ADDR_ENCR_KEY7          = 16'h301c;
localparam [15:0] ADDR_SRC_LIST_ADDRESS   = 16'h4000;
localparam [15:0] ADDR_SRC_LIST_LENGTH    = 16'h4004;
localparam [15:0] ADDR_SRC_DOORBELL       = 16'h4008;
localparam [15:0] ADDR_SRC_CURRENT        = 16'h400c;
localparam [15:0] ADDR_DST_LIST_ADDRESS   = 16'h4010;
localparam [15:0] ADDR_DST_LIST_LENGTH    = 16'h4014;
localparam [15:0] ADDR_DST_DOORBELL       = 16'h4018;
localparam [15:0] ADDR_DST_CURRENT        = 16'h401c;
localparam [15:0] ADDR_CYCLES             = 16'h4100;
localparam [15:0] ADDR_BYTES_DONE         = 16'h4104;
localparam [15:0] ADDR_SOFT_RESET         = 16'h4108;
localparam [15:0] ADDR_FAULT              = 16'h410c;
localparam [15:0] ADDR_FAULT_ADDRESS      = 16'h4110;

// reset values
localparam [31:0] RESET_VERSION           = 32'h05010000;
localparam [31:0] RESET_CONFIG            = 32'h0000000f;

// bits of the fields
localparam integer VERSION_STEP_LSB                   = 0;
localparam integer VERSION_STEP_MSB                   = 15;
localparam integer VERSION_MINOR_LSB                  = 16;
localparam integer VERSION_MINOR_MSB                  = 23;
localparam integer VERSION_MAJOR_LSB                  = 24;
localparam integer VERSION_MAJOR_MSB                  = 31;
localparam integer STATUS_SW_ERR_BIT                  = 0;
localparam integer STATUS_OPERATION_DONE_BIT          = 1;
localparam integer STATUS_ERR_INTR_BIT                = 4;
localparam integer STATUS_OP_DONE_INTR_BIT            = 5;
localparam integer STATUS_ENCR_BUSY_BIT               = 9;
localparam integer STATUS_CRYPTO_STATE_LSB            = 10;
localparam integer STATUS_CRYPTO_STATE_MSB            = 13;
localparam integer STATUS_AXI_ERR_BIT                 = 14;
localparam integer STATUS_DIN_ERR_BIT                 = 15;
localparam integer STATUS_DOUT_ERR_BIT                = 16;
localparam integer STATUS2_LOCKED_BIT                 = 2;
localparam integer GOPROC_GO_BIT                      = 0;
localparam integer GOPROC_CLR_CNTXT_BIT               = 1;
localparam integer GOPROC_RESULTS_DUMP_BIT            = 2;
localparam integer ENCR_SEG_CFG_ALG_LSB               = 0;
localparam integer ENCR_SEG_CFG_ALG_MSB               = 2;
localparam integer ENCR_SEG_CFG_KEY_SIZE_LSB          = 3;
localparam integer ENCR_SEG_CFG_KEY_SIZE_MSB          = 5;
localparam integer ENCR_SEG_CFG_MODE_LSB              = 6;
localparam integer ENCR_SEG_CFG_MODE_MSB              = 9;
localparam integer ENCR_SEG_CFG_ENCODE_BIT            = 10;
localparam integer XTS_DU_SIZE_BYTES_LSB              = 0;
localparam integer XTS_DU_SIZE_BYTES_MSB              = 19;
localparam integer CONFIG_MASK_ERR_INTR_BIT           = 0;
localparam integer CONFIG_MASK_OP_DONE_INTR_BIT       = 1;
localparam integer CONFIG_MASK_DIN_INTR_BIT           = 2;
localparam integer CONFIG_MASK_DOUT_INTR_BIT          = 3;
localparam integer SRC_LIST_LENGTH_DESCRIPTORS_LSB    = 0;
localparam integer SRC_LIST_LENGTH_DESCRIPTORS_MSB    = 6;
localparam integer SRC_CURRENT_INDEX_LSB              = 0;
localparam integer SRC_CURRENT_INDEX_MSB              = 6;
localparam integer DST_LIST_LENGTH_DESCRIPTORS_LSB    = 0;
localparam integer DST_LIST_LENGTH_DESCRIPTORS_MSB    = 6;
localparam integer DST_CURRENT_INDEX_LSB              = 0;
localparam integer DST_CURRENT_INDEX_MSB              = 6;
localparam integer SOFT_RESET_RESET_BIT               = 0;
localparam integer FAULT_KIND_LSB                     = 0;
localparam integer FAULT_KIND_MSB                     = 1;
localparam integer FAULT_ACCESS_LSB                   = 4;
localparam integer FAULT_ACCESS_MSB                   = 5;

// values of crypto_state
localparam [3:0] STATE_IDLE                    = 4'd0;
localparam [3:0] STATE_CHECK                   = 4'd1;
localparam [3:0] STATE_START                   = 4'd2;
localparam [3:0] STATE_LISTS                   = 4'd3;
localparam [3:0] STATE_RUN                     = 4'd4;
localparam [3:0] STATE_WAIT_LISTS              = 4'd5;
localparam [3:0] STATE_WAIT_SOURCE             = 4'd6;
localparam [3:0] STATE_WAIT_DESTINATION        = 4'd7;
localparam [3:0] STATE_WAIT_UNIT               = 4'd8;
localparam [3:0] STATE_WAIT_BLOCK              = 4'd9;
localparam [3:0] STATE_WAIT_LENGTH             = 4'd10;
localparam [3:0] STATE_FETCH                   = 4'd11;
localparam [3:0] STATE_DRAIN                   = 4'd12;

// values of alg
localparam [2:0] ALG_AES                       = 3'd2;

// values of key_size
localparam [2:0] KEY_SIZE_AES128               = 3'd0;
localparam [2:0] KEY_SIZE_AES192               = 3'd1;
localparam [2:0] KEY_SIZE_AES256               = 3'd2;

// values of mode
localparam [3:0] MODE_ECB                      = 4'd0;

// values of fault_kind
localparam [1:0] FAULT_KIND_NONE               = 2'd0;
localparam [1:0] FAULT_KIND_ALIGNMENT          = 2'd1;
localparam [1:0] FAULT_KIND_PAGE               = 2'd2;
localparam [1:0] FAULT_KIND_BUS                = 2'd3;

// values of fault_access
localparam [1:0] FAULT_ACCESS_SOURCE           = 2'd0;
localparam [1:0] FAULT_ACCESS_DESTINATION      = 2'd1;
localparam [1:0] FAULT_ACCESS_SOURCE_LIST      = 2'd2;
localparam [1:0] FAULT_ACCESS_DESTINATION_LIST = 2'd3;
