import Foundation

/// A certificate with its key, both in PEM, which the program `openssl` makes.
package struct Certificate: Sendable {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    package let pem: String
    package let key: String

    package init(pem: String, key: String) {
        self.pem = pem
        self.key = key
    }

    /// Makes an authority, which nobody trusts by itself.
    package static func authority() throws -> Certificate {
        try make { folder in
            let options = "-days 1 -addext basicConstraints=critical,CA:TRUE"
            return try openssl("req -x509 \(options) -out new.pem \(newKey)", in: folder)
        }
    }

    /// Makes a certificate that this authority signs.
    ///
    /// - Parameter extensions: In the words of `openssl`, for example `subjectAltName=DNS:localhost`.
    package func sign(_ extensions: String) throws -> Certificate {
        try Self.make { folder in
            let files = ["authority.pem": pem, "authority.key": key, "extensions": extensions]
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try Self.openssl("req -new -out new.csr \(Self.newKey)", in: folder)
            try Self.openssl(
                "x509 -req -in new.csr -days 1 -extfile extensions -CA authority.pem -CAkey authority.key "
                    + "-CAcreateserial -out new.pem",
                in: folder
            )
        }
    }

    private static let newKey =
        "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Duet -keyout new.key"

    private static func make(_ body: (_ folder: URL) throws -> Void) throws -> Certificate {
        let folder = FileManager.default.temporaryDirectory.appending(path: "duet-certificate-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
        return Certificate(
            pem: try String(contentsOf: folder.appending(path: "new.pem"), encoding: .utf8),
            key: try String(contentsOf: folder.appending(path: "new.key"), encoding: .utf8)
        )
    }

    private static func openssl(_ arguments: String, in folder: URL) throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "openssl \(arguments): \(text)") }
    }
}
