import FeedFeature
import Foundation

/// A protocol with which a terminal shows pictures between lines of text.
enum PictureProtocol: Hashable, Sendable {
    /// The inline images of iTerm2, which WezTerm, Konsole, mintty and the terminal of VS Code show too.
    ///
    /// https://iterm2.com/documentation-images.html
    case iTerm

    /// The graphics protocol of kitty, which transmits PNG files only:
    /// https://sw.kovidgoyal.net/kitty/graphics-protocol/
    case kitty

    /// Finds the protocol of the terminal that the variables describe; nil if it has none.
    init?(environment: [String: String]) {
        let program = environment["TERM_PROGRAM"] ?? ""
        let type = environment["TERM"] ?? ""
        // A multiplexer swallows the sequences of both protocols.
        guard environment["TMUX"] == nil, !type.hasPrefix("screen"), !type.hasPrefix("tmux") else { return nil }
        if environment["KITTY_WINDOW_ID"] != nil || type == "xterm-kitty" || program == "ghostty" {
            self = .kitty
        } else if ["iTerm.app", "WezTerm", "vscode", "mintty"].contains(program)
            || environment["LC_TERMINAL"] == "iTerm2"
            // Konsole shows pictures since version 22.04.
            || environment["KONSOLE_VERSION"].flatMap({ Int($0) }).map({ $0 >= 220_400 }) == true
        {
            self = .iTerm
        } else {
            return nil
        }
    }

    /// Returns the control sequence that shows a picture in a number of lines; nil if the protocol cannot transmit its
    /// format.
    func sequence(for picture: Data, lines: Int) -> String? {
        let text = picture.base64EncodedString()
        switch self {
        case .iTerm:
            return "\u{1B}]1337;File=inline=1;size=\(picture.count);height=\(lines);preserveAspectRatio=1:\(text)\u{07}"
        case .kitty:
            guard ImageFormat(data: picture) == .png else { return nil }
            return Self.kittySequence(for: text, lines: lines)
        }
    }

    /// Splits the picture into chunks of at most 4,096 characters, as the protocol requires.
    private static func kittySequence(for text: String, lines: Int) -> String {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 4_096).map { start in
            let end = min(start + 4_096, digits.count)
            let keys = (start == 0 ? "a=T,f=100,q=2,r=\(lines)," : "") + "m=\(end < digits.count ? 1 : 0)"
            return "\u{1B}_G\(keys);\(String(decoding: digits[start..<end], as: UTF8.self))\u{1B}\\"
        }.joined()
    }
}
