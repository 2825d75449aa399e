internal import Glibc

signal(SIGPIPE, SIG_IGN)
Limits.raiseDescriptorLimit()
exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
