import Foundation

/// A sequence of accesses.
struct Trace {
    let name: String
    let keys: [Int]

    /// Reads a file with a decimal key on each line.
    init(file: String) throws {
        let url = URL(fileURLWithPath: file)
        name = String(url.lastPathComponent.prefix { $0 != "." })
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw UnreadableTrace(description: "The trace \(file) could not be read: \(error.localizedDescription)")
        }
        let text = url.pathExtension == "gz" ? try Self.decompressed(url) : data
        var keys: [Int] = []
        for (number, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
            // The last line has an end as well.
            if line.isEmpty { continue }
            guard let key = Int(line) else {
                throw UnreadableTrace(description: "\(file):\(number + 1): \"\(line)\" is not a decimal key.")
            }
            keys.append(key)
        }
        self.keys = keys
    }

    private static func decompressed(_ url: URL) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", url.path]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw UnreadableTrace(description: "The trace \(url.path) could not be decompressed by gzip.")
        }
        return data
    }
}

/// A trace with an invalid format.
struct UnreadableTrace: Error, CustomStringConvertible {
    let description: String
}
