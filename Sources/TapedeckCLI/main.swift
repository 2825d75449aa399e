internal import Glibc

signal(SIGPIPE, SIG_IGN)
DescriptorLimit.raise()
exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
