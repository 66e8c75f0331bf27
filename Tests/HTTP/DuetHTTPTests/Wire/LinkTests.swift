import DuetHTTP
import HTTPTypes
import Testing

struct LinkTests {
    @Test(
        arguments: [
            (["<u>; rel=next"], "u"), (["<u>;rel=\"next\""], "u"), (["<u>; REL=\"prev NEXT\""], "u"),
            (["<a,b;c>; title=\"x, <y>; rel=next\", <u>; rel=next"], "u"), (["<u> ; a; b=\"\\\"\" ; rel = next"], "u"),
            (["<a>; rel=prev", "<u>; rel=next"], "u"), (["<a>; rel=prev; rel=next, <u>; rel=next"], "u"),
            (["<a>; rel=next; anchor=\"/x\", <u>; rel=next"], "u"), ([",, <u>; rel=next,"], "u"),
            (["<>; rel=next"], ""),
            (["<u>; rel=next; title*=UTF-8''n%C3%A4chste"], "u"), (["<u>; title=\"a\\"], nil), (["<u; rel=next"], nil),
            (["u; rel=next"], nil), (["<u>; rel=\"nextish\""], nil), ([""], nil), (["<u>"], nil), ([], nil),
        ] as [([String], String?)]
    )
    func `the target of a link is found by its relation`(_ fields: [String], _ target: String?) {
        let name = HTTPField.Name.known("Link")
        let fields = HTTPFields(fields.map { HTTPField(name: name, value: $0) })
        #expect(fields.link("next") == target)
        #expect(fields.link("Next") == target)
    }
}
