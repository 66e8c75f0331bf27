import Foundation

/// The file that holds the input which is being read.
struct LastInput {
    private let url: URL
    private let handle: FileHandle

    init(named name: String) throws {
        let process = ProcessInfo.processInfo.processIdentifier
        url = FileManager.default.temporaryDirectory.appending(path: "duet-fuzz-\(name)-\(process).input")
        try Data().write(to: url)
        handle = try FileHandle(forWritingTo: url)
    }

    func write(_ input: [UInt8]) throws {
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(input))
    }

    func remove() {
        try? handle.close()
        try? FileManager.default.removeItem(at: url)
    }
}
