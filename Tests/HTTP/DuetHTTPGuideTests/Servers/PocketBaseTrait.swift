import Duet
import FeedTesting
import Foundation
import Testing

/// One PocketBase for all tests of a suite, with the collection of the guide.
struct PocketBaseTrait: SuiteTrait, TestScoping {
    /// The login at the suite's PocketBase.
    @TaskLocal static var login: Login?

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let program = try ServerProgram("pocketbase", home: folder.url)
        let data = ["--dir", folder.path("data")]
        // PocketBase does not report which port it got for port 0, so it needs a number.
        let port = try ReservedPort()
        let address = "127.0.0.1:\(port.number)"
        let login = Login(
            url: try #require(URL(string: "http://\(address)")),
            email: "ada@example.com",
            password: "correct horse battery"
        )
        try await program.run(["superuser", "upsert", login.email, login.password] + data, until: "saved superuser") {
            _ in
        }
        try await program.run(["serve", "--http", address] + data, until: "Server started at") { _ in
            try await withClient { client in
                try await login.makeDispatcher(client).dispatch(CreateCollection.speakers)
            }
            try await Self.$login.withValue(login, operation: function)
        }
        withExtendedLifetime(port) {}
    }
}

extension Trait where Self == PocketBaseTrait {
    /// Runs the suite against a new PocketBase.
    static var pocketBase: Self { PocketBaseTrait() }
}
