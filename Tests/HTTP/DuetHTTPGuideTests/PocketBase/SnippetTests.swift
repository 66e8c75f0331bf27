import Duet
import DuetTesting
import Foundation
import TestSupport
import Testing

extension PocketBaseTests {
    /// The program that contains the guide's samples.
    struct SnippetTests {
        @Test func `the guide's program prints the same with PocketBase as with a mock client`() async throws {
            let login = try #require(PocketBaseTrait.login)
            try await withClient { client in
                try await login.makeDispatcher(client)
                    .dispatch(AddSpeaker(id: "speaker00000013", name: "Sebastian", talks: 13))
            }
            let mock = try await output()
            let real = try await output(login.url.absoluteString)
            for lines in [mock, real] {
                try #require(lines.count == 11)
                #expect(lines[0] == "API is healthy.")
                #expect(lines[1] == "Sebastian gave 13 talks.")
                // Other tests have speakers there too.
                #expect(lines[2].contains("\"Sebastian\""))
                #expect(lines[3].hasPrefix("CallAnAPI.AddSpeaker: the server responded with 403"))
                #expect(lines[4] == "Value must be unique.")
                #expect(lines[5] == "Bo has an id of 15 characters.")
                #expect(lines[6].hasPrefix("CallAnAPI.LoadHealth: GET http://127.0.0.1:"))
                #expect(lines[7].hasPrefix("CallAnAPI.LoadToken: POST http://127.0.0.1:"))
                #expect(lines[8].hasPrefix("CallAnAPI.LoadSpeaker: GET http://127.0.0.1:"))
                #expect(lines[9...] == ["Read 1: Sebastian", "Read 2: Sebastian"])
            }
        }

        private func output(_ arguments: String...) async throws -> [String] {
            let process = Process()
            process.executableURL = builtExecutable("CallAnAPI")
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
