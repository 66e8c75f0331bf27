import DuetTesting
import Foundation
import Testing

extension PocketBaseTests {
    /// The program that contains the guide's samples.
    struct SnippetTests {
        @Test func `the guide's program does with PocketBase what it does with its own server`() async throws {
            let login = try #require(PocketBaseTrait.login)
            let own = try await output()
            let real = try await output(login.url.absoluteString, login.email, login.password)
            #expect(own == ["[\"Sebastian\"]", "image/png 8", "speaker00000013 is taken."])
            // Other tests have speakers there too.
            #expect(real.first?.contains("\"Sebastian\"") == true)
            #expect(real.dropFirst() == ["image/png 8", "Value must be unique."])
        }

        private func output(_ arguments: String...) async throws -> [String] {
            let process = Process()
            process.executableURL = builtExecutable("RemoteAPI")
            process.arguments = arguments
            process.standardInput = FileHandle.nullDevice
            let output = Pipe()
            process.standardOutput = output
            let (end, ended) = AsyncStream.makeStream(of: Never.self)
            process.terminationHandler = { _ in ended.finish() }
            try process.run()
            try? output.fileHandleForWriting.close()
            // A few lines, which fit in the pipe.
            for await _ in end {}
            try #require(process.terminationStatus == 0)
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            return text.split(separator: "\n").map(String.init)
        }
    }
}
