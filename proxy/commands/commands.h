// The subcommands of the proxy's half.
#pragma once

#include "proxy/commands/lab_command.h"
#include "proxy/commands/record_command.h"
