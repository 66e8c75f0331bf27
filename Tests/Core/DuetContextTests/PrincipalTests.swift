import Duet
import DuetContext
import Testing

struct PrincipalTests {
    @Test
    func `principals with canonically equivalent identifiers are different`() {
        let (composed, decomposed) = ("Jos\u{E9}", "Jose\u{301}")
        #expect(composed == decomposed)
        #expect(Principal(id: composed) != Principal(id: decomposed))
        #expect(Set([Principal(id: composed), Principal(id: decomposed)]).count == 2)
        #expect(Principal(id: composed).hasID(composed))
        #expect(!Principal(id: composed).hasID(decomposed))
        #expect(Principal(id: composed) == Principal(id: composed))
        #expect(Principal(id: composed, scopes: ["a"]) != Principal(id: composed))
        #expect(Principal(id: "ann", scopes: [composed]) != Principal(id: "ann", scopes: [decomposed]))
        #expect(Principal(id: "ann", scopes: ["b", "a"]) == Principal(id: "ann", scopes: ["a", "b"]))
    }
}
