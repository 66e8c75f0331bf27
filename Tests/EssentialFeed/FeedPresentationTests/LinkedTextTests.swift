import FeedPresentation
import Testing

struct LinkedTextTests {
    /// Returns the addresses of the links in a text.
    private func links(_ text: String) -> [String] {
        let parts = LinkedText(text).parts
        #expect(parts.map(\.words).joined().unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect(parts.allSatisfy { !$0.words.isEmpty })
        return parts.filter(\.isLink).map(\.words)
    }

    @Test(arguments: [
        "http://a.example", "https://a.example/", "HTTPS://A.example/B", "https://a.example:8080/x?y=1&z=2#part",
        "https://el.wikipedia.org/wiki/Αθήνα", "https://a.example/cafe\u{301}", "https://a.example/@ann/1",
        "https://a.example/wiki/Cat_(animal)", "https://a.example/[1]", "http://localhost:1/",
        "https://a.example?q=%20",
        "https://xn--nxasmq6b.example/",
    ])
    func `a web address is a link as it is written`(address: String) {
        #expect(links(address) == [address])
        #expect(links("See \(address) there") == [address])
        #expect(links("«\(address)»\n") == [address])
    }

    @Test(arguments: [
        ".", ",", ";", ":", "!", "?", ")", "]", "'", "\"", "…", "»", ").", "?!", "**", ">", "·", "\u{37E}",
    ])
    func `the punctuation of the sentence does not belong to an address`(end: String) {
        for address in ["https://a.example", "https://a.example/b", "https://a.example/b_(c)"] {
            #expect(links("(see \(address)\(end)") == [address])
            #expect(links("\(address)\(end) Next") == [address])
        }
    }

    @Test(arguments: [
        "a.example", "www.a.example", "ftp://a.example", "javascript:alert(1)", "data:text/html,x",
        "file:///etc/passwd",
        "mailto:a@a.example", "http:", "http://", "http:///x", "https://.", "https://-a", "https:/a.example", "http//a",
        "xhttp://a.example", "view_https://a.example", "Ωhttps://a.example", "https://a.example:65536/",
        "https://ａ.example",
    ])
    func `nothing else is a link`(text: String) {
        #expect(links(text) == [])
    }

    @Test(arguments: [
        "https://bank.example@evil.example/", "https://bank.example:80@evil.example/", "https://ann:pw@evil.example/",
        "https://bank.example\\@evil.example", "https://аpple.example/", "https://bank.exámple/",
        "https://bank%2eexample/",
        "https://bank.example\u{301}/",
    ])
    func `a host that is not what it seems is no link`(text: String) {
        #expect(links(text) == [])
    }

    @Test(arguments: [
        "\u{202E}", "\u{2066}", "\u{200F}", "\u{200B}", "\u{AD}", "\u{3164}", "\0", "\u{FEFF}", "\u{2044}",
    ])
    func `an address ends in front of an invisible or misleading character`(character: String) {
        #expect(links("https://a.example/b\(character)/c") == ["https://a.example/b"])
        // A filler counts as a letter.
        #expect(links("https://a.example\(character)/c") == (character == "\u{3164}" ? [] : ["https://a.example"]))
    }

    @Test func `no invisible character is part of a link, or directly behind its host`() {
        let invisible = (0...0x10_FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
            scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isBidiControl
                || [.control, .format].contains(scalar.properties.generalCategory)
        }
        #expect(invisible.count > 4_000)
        for scalar in invisible {
            for host in ["https://a.example", "https://a.example:80"] {
                #expect([[], [host]].contains(links("\(host)\(scalar)b/c")), "\(scalar.escaped(asASCII: true))")
            }
        }
    }

    @Test func `several addresses are several links, up to the limit`() {
        #expect(links("http://a/1 and http://b/2,http://c/3") == ["http://a/1", "http://b/2,http://c/3"])
        for count in [19, 20, 21] {
            #expect(links(Array(repeating: "http://a/", count: count).joined(separator: " ")).count == min(count, 20))
        }
    }

    @Test func `long texts take linear time`() {
        for text in ["https://a/(", "http://a", "h", "https://a/)", "http://a@"] {
            _ = links(String(repeating: text, count: 20_000))
        }
    }
}
