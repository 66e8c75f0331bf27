public import Foundation

/// Where an executable of this package was built: beside the tests.
public func builtExecutable(_ name: String) -> URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
}
