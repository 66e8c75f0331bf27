import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4, the most recent response", .timeLimit(.minutes(5)))
struct RecencyTests {
    private static let first = ["Cache-Control: max-age=600", "Date: Tue, 14 Nov 2023 22:13:20 GMT"]
    private static let second = ["Cache-Control: max-age=600", "Date: Tue, 14 Nov 2023 22:13:30 GMT"]

    @Test(arguments: [true, false])
    func `a download that ends late does not replace a newer response`(isNewer: Bool) async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, isNewer ? Self.first : Self.second, held.body)
                : .init(200, isNewer ? Self.second : Self.first, "reloaded")
        }
        let slow = Task.startingHere { try await scene.send() }
        try await held.begun.pass()
        scene.time.pass(10)
        _ = try await scene.send(ask("/a", ["Cache-Control: no-cache"]))
        #expect(try await scene.send().body == "reloaded")
        held.send("downloaded")
        held.end()
        #expect(try await slow.value.body == "downloaded")
        #expect(try await scene.send().body == (isNewer ? "reloaded" : "downloaded"))
    }

    @Test func `the date of an origin whose clock was set back is used`() async throws {
        let scene = Scene { sent in .init(200, sent.number == 1 ? Self.second : Self.first, "\(sent.number)") }
        _ = try await scene.send()
        scene.time.pass(10)
        _ = try await scene.send(ask("/a", ["Cache-Control: no-cache"]))
        #expect(try await scene.send().body == "2")
    }
}
