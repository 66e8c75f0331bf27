import DuetHTTP
import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 5.2.2.4, fields that have to be validated", .timeLimit(.minutes(5)))
struct UnvalidatedFieldsTests {
    /// A scene with a validated response, whose first exchange has a cookie.
    private func scene(cookies: @escaping @Sendable (_ number: Int) -> [String]) -> Scene {
        let lines = ["Cache-Control: max-age=60, no-cache=\"Set-Cookie\"", "ETag: \"1\""]
        return Scene { sent in .init(sent.number == 1 ? 200 : 304, lines + cookies(sent.number), "one") }
    }

    @Test(arguments: [true, false])
    func `a cookie goes only to the client whose request it answers`(isSentAgain: Bool) async throws {
        let scene = scene { isSentAgain || $0 == 1 ? ["Set-Cookie: id=\($0)"] : [] }
        #expect(try await scene.send().response.headerFields[.setCookie] == "id=1")
        let second = try await scene.send(ask("/a", ["Cache-Control: no-cache"]))
        #expect(second.response.headerFields[values: .setCookie] == (isSentAgain ? ["id=2"] : []))
        let third = try await scene.send()
        #expect((third.isHit, third.response.headerFields[.setCookie]) == (true, nil))
        #expect(scene.origin.count == 2)
    }
}
