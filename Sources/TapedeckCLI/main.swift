internal import Glibc

signal(SIGPIPE, SIG_IGN)
ChildProcess.raiseDescriptorLimit()
exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
