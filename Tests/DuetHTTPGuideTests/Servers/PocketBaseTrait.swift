import DuetHTTP
import FeedTesting
import Foundation
import NIOPosix
import Testing

/// One PocketBase for all tests of a suite, with the collection that the guide is about.
struct PocketBaseTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let program = try ServerProgram("pocketbase", home: folder.url)
        let data = folder.path("data")
        let email = "ada@example.com"
        let password = "correct horse battery"
        try await program.run("superuser", "upsert", email, password, "--dir", data, until: "Successfully saved") { _ in }
        let url = try #require(URL(string: "http://127.0.0.1:\(try await freePort())"))
        try await program.run("serve", "--http", "\(url.host()!):\(url.port!)", "--dir", data, until: "Server started at") { _ in
            let server = PocketBaseServer(url: url, email: email, password: password)
            try await server.prepare()
            try await PocketBaseServer.$current.withValue(server, operation: function)
        }
    }

    /// PocketBase does not say which port it got when it was given 0, so it must be told one.
    private func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        try await channel.close()
        return port
    }
}

extension Trait where Self == PocketBaseTrait {
    /// Runs the suite against a PocketBase of its own.
    static var pocketBase: Self { PocketBaseTrait() }
}
