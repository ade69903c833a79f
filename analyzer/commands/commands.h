// The analyzer's subcommands.
#pragma once

#include "analyzer/commands/audit_command.h"
#include "analyzer/commands/cat_command.h"
#include "analyzer/commands/check_command.h"
#include "analyzer/commands/contract_command.h"
#include "analyzer/commands/diff_command.h"
#include "analyzer/commands/info_command.h"
#include "analyzer/commands/merge_command.h"
#include "analyzer/commands/pack_command.h"
#include "analyzer/commands/recover_command.h"
#include "analyzer/commands/report_command.h"
#include "analyzer/commands/trim_command.h"
#include "analyzer/commands/verify_command.h"
